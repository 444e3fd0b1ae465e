;;; emacs.el --- checkpointd in Emacs, 28 and later  -*- lexical-binding: t; -*-

;; No package is needed: jsonrpc.el is built in.
;;
;;   (load "/path/to/emacs.el")
;;   (checkpointd-start default-directory)
;;
;; gives M-x checkpointd-create, checkpointd-list, checkpointd-diff, checkpointd-restore, checkpointd-undo and
;; checkpointd-stop.  A new start resumes the same session: checkpoints remain when Emacs ends.  If two Emacs
;; processes use one work tree, give each its own :conversationId.

;;; Code:
(require 'jsonrpc)
(require 'cl-lib)

(defvar checkpointd-command '("checkpointd") "The daemon and its arguments.")
(defvar checkpointd-connection nil "The connection to the daemon.")
(defvar checkpointd-session nil "The session on the work tree.")
(defvar checkpointd-workspace nil "The work tree, an absolute directory name.")
(defvar checkpointd-progress-functions '(checkpointd-show-progress)
  "Called with the value of each report of progress, a plist.")
(defvar checkpointd-event-functions nil "Called with the name and the parameters of each event.")

(defun checkpointd-show-progress (value)
  "Show the report VALUE in the echo area."
  (message "checkpointd: %s %s" (plist-get value :kind)
           (or (plist-get value :message) (plist-get value :title) "")))

(defun checkpointd--notified (_connection method params)
  "Call the functions that listen to the notification METHOD with PARAMS."
  (if (eq method '$/progress)
      (run-hook-with-args 'checkpointd-progress-functions (plist-get params :value))
    (run-hook-with-args 'checkpointd-event-functions method params)))

(defun checkpointd-running-p ()
  "Whether the daemon runs."
  (and checkpointd-connection (jsonrpc-running-p checkpointd-connection)))

(defun checkpointd-request (method &rest params)
  "Send METHOD with PARAMS, a plist, and return the result.
Signals `jsonrpc-error'; see `checkpointd-error-kind'."
  (unless (and (checkpointd-running-p) (or checkpointd-session (eq method 'session/open)))
    (user-error "checkpointd is not running: M-x checkpointd-start"))
  (jsonrpc-request checkpointd-connection method
                   `(:session ,checkpointd-session :workDoneToken ,(format "emacs-%s" method) ,@params)
                   :timeout 60))

(defun checkpointd-error-kind (error)
  "The stable name of ERROR, as `condition-case' gives it: \"UnknownCheckpoint\"."
  (plist-get (alist-get 'jsonrpc-error-data (cddr error)) :kind))

(defun checkpointd-start (workspace &rest options)
  "Start the daemon and open a session on WORKSPACE, with OPTIONS of `session/open'.
Ends an earlier daemon that still runs."
  (interactive "DWork tree: ")
  (when (checkpointd-running-p) (checkpointd-stop))
  (setq checkpointd-session nil
        checkpointd-workspace (file-name-as-directory (expand-file-name workspace))
        checkpointd-connection
        (make-instance 'jsonrpc-process-connection
                       :name "checkpointd"
                       :notification-dispatcher #'checkpointd--notified
                       :process (lambda ()
                                  (make-process :name "checkpointd" :command checkpointd-command
                                                :connection-type 'pipe :coding 'utf-8-emacs-unix :noquery t
                                                :stderr (get-buffer-create "*checkpointd stderr*")))))
  (let ((opened nil))
    (unwind-protect
        (progn
          (jsonrpc-request checkpointd-connection 'initialize
                           `(:processId ,(emacs-pid) :clientInfo (:name "Emacs" :version ,emacs-version)
                             :capabilities (:checkpointd (:events ["checkpoint/didCreate" "checkpoint/didRestore"])))
                           :timeout 30)
          (jsonrpc-notify checkpointd-connection 'initialized '(:_ nil))
          (setq opened (apply #'checkpointd-request 'session/open
                              `(,@options :workspace ,(expand-file-name workspace)
                                :init "force" :retention "keep" :conversationId "emacs"))
                checkpointd-session (plist-get opened :session)))
      ;; A session that could not be opened leaves no daemon behind.
      (unless checkpointd-session (checkpointd-stop)))
    (add-hook 'kill-emacs-hook #'checkpointd-stop)
    opened))

(defun checkpointd-stop ()
  "End the daemon, if it runs.  `checkpointd-start' resumes the session later."
  (interactive)
  (when (checkpointd-running-p)
    (ignore-errors (jsonrpc-request checkpointd-connection 'shutdown nil :timeout 2))
    (ignore-errors (jsonrpc-notify checkpointd-connection 'exit nil))
    ;; `jsonrpc-shutdown' kills at once; two seconds are for the daemon's own end.
    (with-timeout (2)
      (while (process-live-p (jsonrpc--process checkpointd-connection))
        (accept-process-output (jsonrpc--process checkpointd-connection) 0.05)))
    (jsonrpc-shutdown checkpointd-connection))
  (setq checkpointd-session nil))

(defun checkpointd--buffers ()
  "The buffers that visit files of the work tree."
  ;; `file-in-directory-p' compares times of directories, so it fails while files appear and disappear nearby.
  (let ((top (and checkpointd-workspace (file-name-as-directory (file-truename checkpointd-workspace)))))
    (cl-remove-if-not (lambda (buffer)
                        (let ((file (buffer-file-name buffer)))
                          (and file top (string-prefix-p top (file-truename file)))))
                      (buffer-list))))

(defun checkpointd--save-or-quit ()
  "Offer to save unsaved buffers of the work tree, because a checkpoint contains only files."
  (let ((unsaved (cl-remove-if-not #'buffer-modified-p (checkpointd--buffers))))
    (when unsaved
      (save-some-buffers nil (lambda () (memq (current-buffer) unsaved)))
      (when (cl-some #'buffer-modified-p unsaved)
        (user-error "Unsaved: %s.  Save or revert first"
                    (mapconcat #'buffer-name (cl-remove-if-not #'buffer-modified-p unsaved) ", "))))))

(defun checkpointd--revert-buffers ()
  "Reload unmodified buffers from the disk, and report the others."
  (dolist (buffer (checkpointd--buffers))
    (with-current-buffer buffer
      (cond ((buffer-modified-p) (message "%s has unsaved changes and was not reverted" (buffer-name)))
            ((not (file-exists-p buffer-file-name))
             (message "%s was deleted from the disk; its buffer is kept" (buffer-name)))
            ((not (verify-visited-file-modtime buffer)) (revert-buffer t t t))))))

(defun checkpointd-create (message)
  "Make a checkpoint of a turn that MESSAGE describes."
  (interactive "sMessage: ")
  (when (called-interactively-p 'any) (checkpointd--save-or-quit))
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

(defun checkpointd--read-tag (prompt)
  "Ask with PROMPT for the tag of a checkpoint, with completion."
  (let* ((all (append (plist-get (checkpointd-request 'checkpoint/list) :checkpoints) nil))
         (tags (delq nil (mapcar (lambda (each) (plist-get each :tag)) all)))
         (completion-extra-properties
          (list :annotation-function
                (lambda (tag)
                  (let ((found (cl-find tag all :key (lambda (each) (plist-get each :tag)) :test #'equal)))
                    (concat "  " (plist-get found :description)))))))
    (completing-read prompt (reverse tags) nil nil)))

(defun checkpointd-diff (from &optional to)
  "Show what changed from checkpoint FROM to TO; without TO, to the work tree."
  (interactive (list (checkpointd--read-tag "From: ")))
  (let ((diff (checkpointd-request 'checkpoint/diff :from from :to to :format "text")))
    (with-current-buffer (get-buffer-create "*checkpointd diff*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (or (plist-get diff :text) "")))
      (unless noninteractive (diff-mode) (display-buffer (current-buffer))))
    diff))

(defun checkpointd-restore (tag)
  "Restore the files of checkpoint TAG, and show them in the buffers that visit them."
  (interactive (list (checkpointd--read-tag "Tag: ")))
  (checkpointd--save-or-quit)
  (let ((restored (checkpointd-request 'checkpoint/restore :tag tag)))
    (checkpointd--revert-buffers)
    (let ((count (plist-get (plist-get restored :counts) :restored)))
      (message "%d %s restored" count (if (= count 1) "file" "files")))
    restored))

(defun checkpointd-undo ()
  "Undo the last restore, and show the files in the buffers that visit them."
  (interactive)
  (checkpointd--save-or-quit)
  (prog1 (checkpointd-request 'checkpoint/undo)
    (checkpointd--revert-buffers)))

(provide 'checkpointd)
;;; emacs.el ends here
