;;; Does in Emacs what a user does, and writes what Emacs then knows as JSON to $REPORT.  -*- lexical-binding: t -*-
;; Everything polls for its condition; what never comes is named in `failed`.

(require 'json)
(require 'cl-lib)

(defvar report nil)
(defconst seconds 30)

(defun tell (key value)
  (push (cons key value) report))

(defun await (what condition)
  (let ((deadline (+ (float-time) seconds)) value)
    (while (not (setq value (funcall condition)))
      (when (> (float-time) deadline)
        (error "never came: %s" what))
      (accept-process-output nil 0.02))
    value))

(defun column-of (place)
  (save-excursion
    (goto-char place)
    (- place (line-beginning-position))))

(defun diagnostics ()
  (vconcat
   (mapcar (lambda (one)
             (let ((begins (flymake-diagnostic-beg one)))
               `((row . ,(line-number-at-pos begins))
                 (column . ,(column-of begins))
                 (end . ,(column-of (flymake-diagnostic-end one)))
                 (type . ,(symbol-name (flymake-diagnostic-type one)))
                 (text . ,(flymake-diagnostic-text one)))))
           (flymake-diagnostics))))

(defun awaited-diagnostics (what count)
  (await what (lambda ()
                (let ((found (diagnostics)))
                  (and (= (length found) count) (list found)))))
  (diagnostics))

(defun lines ()
  (vconcat (split-string (buffer-substring-no-properties (point-min) (point-max)) "\n")))

(defun drive ()
  (find-file (getenv "FILE"))
  ;; Batch mode has no commands, after which eglot would connect by itself.
  (apply #'eglot (eglot--guess-contact))
  (await "a server" #'eglot-current-server)
  (flymake-start)
  (tell 'found (awaited-diagnostics "the finding" 1))
  (goto-char (flymake-diagnostic-beg (car (flymake-diagnostics))))
  (tell 'hover (plist-get (plist-get (jsonrpc-request (eglot-current-server) :textDocument/hover
                                                     (eglot--TextDocumentPositionParams))
                                    :contents)
                         :value))
  (let ((before (lines)))
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt table &rest _)
                 (or (car (assoc (getenv "FIX") table)) (error "not offered: %s" (getenv "FIX")))))
              (last-nonmenu-event t))
      (eglot-code-actions (point) (1+ (point)) nil t))
    (await "the fix" (lambda () (not (equal before (lines))))))
  (tell 'fixed (lines))
  (eglot--signal-textDocument/didChange)
  (awaited-diagnostics "no finding after the fix" 0)
  ;; Behind the wide letters of the line, so that what the server then has is what the editor has.
  (goto-char (point-min))
  (search-forward "x.reshape")
  (delete-char (- (length "reshape")))
  (insert "view")
  (eglot--signal-textDocument/didChange)
  (tell 'found-again (awaited-diagnostics "the finding after typing" 1))
  (tell 'typed (lines))
  (set-buffer-modified-p nil)
  (eglot-shutdown (eglot-current-server) nil nil t))

(condition-case failure
    (drive)
  (error (tell 'failed (error-message-string failure))))
(with-temp-file (getenv "REPORT")
  (insert (json-encode report)))
(kill-emacs 0)
