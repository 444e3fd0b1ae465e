;;; emacs.el --- checkpointd in Emacs, 28 and later  -*- lexical-binding: t; -*-

;; No package is needed: jsonrpc.el is built in.
;;
;;   (load "/path/to/emacs.el")
;;   (checkpointd-start default-directory)
;;
;; gives M-x checkpointd-create, checkpointd-list, checkpointd-diff, checkpointd-restore, checkpointd-undo and
;; checkpointd-stop.

;;; Code:
(require 'jsonrpc)
(require 'cl-lib)

(defvar checkpointd-command '("checkpointd") "The daemon and its arguments.")
(defvar checkpointd-connection nil "The connection to the daemon.")
(defvar checkpointd-session nil "The session on the work tree.")
(defvar checkpointd-progress-functions '(checkpointd-show-progress)
  "Called with the value of each report of progress, a plist.")
(defvar checkpointd-event-functions nil "Called with the name and the parameters of each event.")

(defun checkpointd-show-progress (value)
  "Show the report VALUE in the echo area."
  (message "checkpointd: %s %s" (plist-get value :kind)
           (or (plist-get value :message) (plist-get value :title) "")))

(defun checkpointd--notified (_connection method params)
  "Hand the notification METHOD with PARAMS to those who listen."
  (if (eq method '$/progress)
      (run-hook-with-args 'checkpointd-progress-functions (plist-get params :value))
    (run-hook-with-args 'checkpointd-event-functions method params)))

(defun checkpointd-request (method &rest params)
  "Send METHOD with PARAMS, a plist, and return the result.
Signals `jsonrpc-error'; see `checkpointd-error-kind'."
  (jsonrpc-request checkpointd-connection method
                   `(:session ,checkpointd-session :workDoneToken ,(format "emacs-%s" method) ,@params)
                   :timeout 60))

(defun checkpointd-error-kind (error)
  "The stable name of ERROR, as `condition-case' gives it: \"UnknownCheckpoint\"."
  (plist-get (alist-get 'jsonrpc-error-data (cddr error)) :kind))

(defun checkpointd-start (workspace &rest options)
  "Start the daemon and open a session on WORKSPACE, with OPTIONS of `session/open'."
  (interactive "DWork tree: ")
  (setq checkpointd-session nil
        checkpointd-connection
        (make-instance 'jsonrpc-process-connection
                       :name "checkpointd"
                       :notification-dispatcher #'checkpointd--notified
                       :process (lambda ()
                                  (make-process :name "checkpointd" :command checkpointd-command
                                                :connection-type 'pipe :coding 'utf-8-emacs-unix :noquery t
                                                :stderr (get-buffer-create "*checkpointd stderr*")))))
  (jsonrpc-request checkpointd-connection 'initialize
                   `(:processId ,(emacs-pid) :clientInfo (:name "Emacs" :version ,emacs-version)
                     :capabilities (:checkpointd (:events ["checkpoint/didCreate" "checkpoint/didRestore"])))
                   :timeout 30)
  (jsonrpc-notify checkpointd-connection 'initialized '(:_ nil))
  (let ((opened (apply #'checkpointd-request 'session/open
                       :workspace (expand-file-name workspace) :init "force" options)))
    (setq checkpointd-session (plist-get opened :session))
    opened))

(defun checkpointd-stop ()
  "End the daemon."
  (interactive)
  (ignore-errors (jsonrpc-request checkpointd-connection 'shutdown nil :timeout 2))
  (jsonrpc-notify checkpointd-connection 'exit nil)
  ;; `jsonrpc-shutdown' kills at once; two seconds are for the daemon's own end.
  (with-timeout (2)
    (while (process-live-p (jsonrpc--process checkpointd-connection))
      (accept-process-output (jsonrpc--process checkpointd-connection) 0.05)))
  (jsonrpc-shutdown checkpointd-connection))

(defun checkpointd-create (message)
  "Make a checkpoint of a turn that MESSAGE describes."
  (interactive "sMessage: ")
  (let ((made (plist-get (checkpointd-request 'checkpoint/create :kind "turn" :message message) :checkpoint)))
    (message "[%s] %s" (plist-get made :tag) (plist-get made :description))
    made))

(defun checkpointd-list ()
  "List the checkpoints, oldest first."
  (interactive)
  (let ((all (append (plist-get (checkpointd-request 'checkpoint/list) :checkpoints) nil)))
    (message "%s" (mapconcat (lambda (each) (format "[%s] %s" (plist-get each :tag) (plist-get each :description)))
                             all "\n"))
    all))

(defun checkpointd-diff (from &optional to)
  "Show what changed from checkpoint FROM to TO; without TO, to the work tree."
  (interactive "sFrom: ")
  (let ((diff (checkpointd-request 'checkpoint/diff :from from :to to :format "text")))
    (with-current-buffer (get-buffer-create "*checkpointd diff*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (or (plist-get diff :text) "")))
      (unless noninteractive (diff-mode) (display-buffer (current-buffer))))
    diff))

(defun checkpointd-restore (tag)
  "Restore the files of checkpoint TAG."
  (interactive "sTag: ")
  (let ((restored (checkpointd-request 'checkpoint/restore :tag tag)))
    (message "%d files restored" (length (plist-get restored :restored)))
    restored))

(defun checkpointd-undo ()
  "Undo the last restore."
  (interactive)
  (checkpointd-request 'checkpoint/undo))

(provide 'checkpointd)
;;; emacs.el ends here
