;;; checkpointd.el --- Checkpoints of files and conversation  -*- lexical-binding: t -*-

;; checkpointd in Emacs (27 and later, with its own jsonrpc.el).  Put this file on your `load-path', then:
;;
;;   (require 'checkpointd)
;;   (setq checkpoints (checkpointd-start default-directory))
;;   (checkpointd-create checkpoints :kind "turn" :message "before the agent")
;;   (checkpointd-restore checkpoints :tag "1" :mode "hard")

;;; Code:
(require 'jsonrpc)
(require 'cl-lib)

(defvar checkpointd-command '("checkpointd") "The daemon and its arguments.")
(defvar checkpointd-progress-functions nil "Called with each progress value (a plist).")

(cl-defstruct checkpointd connection session)

(defun checkpointd--notified (_connection method params)
  "Hear METHOD with PARAMS from the daemon."
  (when (eq method '$/progress)
    (run-hook-with-args 'checkpointd-progress-functions (plist-get params :value))))

(defun checkpointd-start (workspace &rest more)
  "Start a daemon and open a session on WORKSPACE; MORE goes to session/open."
  (let* ((process (make-process :name "checkpointd" :command checkpointd-command :connection-type 'pipe
                                :coding 'utf-8-emacs-unix :noquery t :stderr (get-buffer-create " *checkpointd stderr*")))
         (connection (make-instance 'jsonrpc-process-connection :name "checkpointd" :process process
                                    :notification-dispatcher #'checkpointd--notified))
         (self (make-checkpointd :connection connection)))
    (jsonrpc-request connection :initialize
                     (list :processId (emacs-pid)
                           :clientInfo '(:name "Emacs")
                           :capabilities '(:checkpointd (:events ["checkpoint/didCreate" "checkpoint/didRestore"]))))
    (jsonrpc-notify connection :initialized (make-hash-table))
    (setf (checkpointd-session self)
          (plist-get (jsonrpc-request connection :session/open
                                      (append (list :workspace (expand-file-name workspace)) more) :timeout 60)
                     :session))
    self))

(defun checkpointd-request (self method &rest params)
  "Ask SELF for METHOD with PARAMS (a plist); signal `jsonrpc-error' with the daemon's error."
  (jsonrpc-request (checkpointd-connection self) method
                   (append (list :session (checkpointd-session self)) params) :timeout 60))

(defun checkpointd-create (self &rest params) "Make a checkpoint in SELF with PARAMS."
  (apply #'checkpointd-request self :checkpoint/create params))
(defun checkpointd-list (self &rest params) "List the checkpoints of SELF with PARAMS."
  (apply #'checkpointd-request self :checkpoint/list params))
(defun checkpointd-diff (self &rest params) "Compare checkpoints of SELF as PARAMS say."
  (apply #'checkpointd-request self :checkpoint/diff params))
(defun checkpointd-restore (self &rest params) "Restore files and conversation of SELF as PARAMS say."
  (prog1 (apply #'checkpointd-request self :checkpoint/restore params)
    (when (bound-and-true-p global-auto-revert-mode) (auto-revert-buffers))))
(defun checkpointd-undo (self) "Undo the last restore of SELF."
  (checkpointd-request self :checkpoint/undo))

(defun checkpointd-stop (self)
  "End the session and the daemon of SELF."
  (let ((connection (checkpointd-connection self)))
    (jsonrpc-request connection :shutdown nil :timeout 2)
    (jsonrpc-notify connection :exit nil)
    (jsonrpc-shutdown connection)))

(provide 'checkpointd)
;;; checkpointd.el ends here
