// The guide in protocol/REFERENCE.md. The guide explains sessions, checkpoints, restores, the conversation, errors and
// events, with whole messages. A test validates each message.

const session = 'ses_94cpwjqtvayhe7244e4e5r4cwa';
const workspace = '/home/ada/project';

const block = (message: unknown): string => `\`\`\`json\n${JSON.stringify(message)}\n\`\`\`\n`;

function asks(id: number, method: string, params: unknown): string {
  return block({ jsonrpc: '2.0', id, method, params });
}

const answers = (id: number, result: unknown): string => block({ jsonrpc: '2.0', id, result });
const refuses = (id: number, error: unknown): string => block({ jsonrpc: '2.0', id, error });
const notifies = (method: string, params: unknown): string => block({ jsonrpc: '2.0', method, params });

const base = {
  id: 'ckpt_k8h5jf0g6dtm4r87xs9p',
  tag: '0',
  previousTag: '0',
  kind: 'turn',
  seq: 1,
  timestamp: '2026-11-25T05:46:59.106Z',
  description: 'Initial state',
  isTurn: true,
  snapshot: 'fa9fe8731f361953fc53b08ecc009e52419310d2',
  stats: { added: 0, modified: 0, deleted: 0 },
  historyLength: 0,
};

const turn = {
  ...base,
  id: 'ckpt_3jqr5dqa2efn3n4ap9de',
  tag: '1',
  parent: base.id,
  seq: 2,
  timestamp: '2026-11-25T05:46:59.231Z',
  description: 'tidy up the parser',
};

const tool = {
  id: 'ckpt_q8g9j45kzd5bhprbexyr',
  tag: '1.1',
  previousTag: '1',
  parent: turn.id,
  toolName: 'edit',
  kind: 'tool',
  seq: 3,
  timestamp: '2026-11-25T05:46:59.343Z',
  description: 'Edit the parser',
  isTurn: false,
  snapshot: 'f41fa494ea3765eaf974802828d13aa097f08400',
  stats: { added: 1, modified: 1, deleted: 0 },
  historyLength: 0,
};

const restored = {
  id: 'ckpt_jv43e22vexfh44rjx3gt',
  previousTag: '1',
  parent: turn.id,
  kind: 'restore',
  seq: 5,
  timestamp: '2026-11-25T05:46:59.950Z',
  description: 'Restored to 1',
  isTurn: false,
  snapshot: base.snapshot,
  stats: { added: 0, modified: 0, deleted: 0 },
  historyLength: 0,
};

const counts = { restored: 1, deleted: 1, failed: 0, conflicts: 0, skipped: 0 };
const safety = 'ckpt_1yf8m59cdrq849xx3wm1';
const noConversation = {
  historyLength: 0,
  transcriptLength: 0,
  validHistoryRange: { start: 0, end: 0 },
};

const sessions = `### Sessions

A session is one conversation on one work tree in one store. Almost every request names a session. [A first session](#a-first-session) shows how a client starts the daemon and initialises it; the messages below follow \`initialized\`.

Open a session with the absolute path of the work tree. Give a \`conversationId\` if you want to resume the session later. The daemon derives the session's id from the work tree, the conversation id and the strategy.

${asks(2, 'session/open', { workspace, conversationId: 'guide', retention: 'keep' })}
The answer has the id and the base of the session. The base is checkpoint \`0\`, the state of the work tree at the first opening.

${answers(2, { session, workspace, conversationId: 'guide', strategy: 'shadow', retention: 'keep', resumed: false, checkpoints: { enabled: true }, base, skipped: [] })}
**The strategy** says where checkpoints are stored. \`shadow\` uses a bare repository of the session, \`local\` uses hidden refs in the user's repository, and \`sqlite\` uses one database for all sessions. The client cannot change the strategy of a session. The capabilities in the answer of \`initialize\` say which strategies this machine has.

**The retention** says what happens when the last client closes the session. With \`session\`, the daemon removes the session's checkpoints and conversation. With \`keep\`, the daemon keeps both. A later \`session/open\` with the same parameters resumes the session and answers \`resumed: true\`. The default is \`session\` for \`shadow\` and \`keep\` for the other two strategies.

**Checkpoints may be disabled.** Outside a git repository, or without git, \`session/open\` succeeds with \`checkpoints: {"enabled": false, "reason": "NotARepository"}\`. Requests about the conversation still work. \`checkpoint/init\` enables checkpoints, also outside a repository. The \`message\` beside \`reason\` says what to do.

**The first opening reads the whole work tree**, which takes seconds if the tree is large. Send a \`workDoneToken\` to get progress, and do not set a short time-out. \`limits.initTimeoutMs\` limits the time on the daemon's side. \`skipped\` lists every path that the base leaves out, with the reason.

**Several clients may share a session.** A client that opens an open session joins it. The session ends when its last client closes it or disconnects. The first client starts the daemon. Further clients connect to the daemon's socket, whose path is the field \`socket\` of \`<storage>/<session>/checkpointd/owner.json\`. The client libraries of this project do this for you.

Close a session when its conversation ends. The answer says whether the daemon removed the session's data, and if not, why.

${asks(19, 'session/close', { session })}
${answers(19, { removed: false, reason: 'retention' })}
\`session/list\` lists open and kept sessions, \`session/get\` describes an open session, and \`session/delete\` removes a kept session with its checkpoints and conversation. \`session/delete\` refuses while another client has the session open.
`;

const checkpoints = `### Checkpoints

A checkpoint holds the work tree and the position of the conversation. Make a checkpoint at the start of each turn, before the agent works, and after each tool that may have changed files. Users can then go back to the state before each prompt.

${asks(5, 'checkpoint/create', { session, kind: 'turn', message: 'tidy up the parser', idempotencyKey: 'turn-1' })}
${answers(5, { created: true, checkpoint: turn, skipped: [], complete: true, capture: { path: 'fast', ms: 16 }, operation: 'op_z3zdatfe4xygpek6cx5w' })}
The agent now edits \`src/parser.ts\` and creates \`src/lexer.ts\`. The checkpoint of the tool reports one added and one modified file:

${asks(7, 'checkpoint/create', { session, kind: 'tool', toolName: 'edit', description: 'Edit the parser' })}
${answers(7, { created: true, checkpoint: tool, skipped: [], complete: true, capture: { path: 'fast', ms: 73 }, operation: 'op_d0jfbxc3dd64wtynqyjd' })}
**Three ways to name a checkpoint.** The \`id\` of a checkpoint never changes. The \`tag\` is the checkpoint's place in the conversation: \`1\` is the first turn, and \`1.1\` is the first tool of that turn. A tag can move: after you go back to turn 1 and make a new turn 2, the tag \`2\` belongs to the new checkpoint. The old checkpoint keeps its id and is \`detached\`. A \`name\` is your own text, given to \`checkpoint/create\` or \`checkpoint/rename\`. The parameters \`tag\`, \`from\` and \`to\` accept an id, a tag or a name.

**Counting.** The daemon counts turns and tools, so \`kind\` is enough. If you give a \`tag\` yourself, later tags continue from your tag. A tool before the first turn gets \`0.1\`.

**Statistics.** \`stats\` counts the files that changed since the checkpoint \`previousTag\`. A turn's checkpoint is made at the start of its turn. So the statistics of \`2\` show what turn 1 did, and the statistics of \`1\` show what changed since the base.

**What is captured.** A checkpoint holds every file that git's ignore rules do not exclude, and every file that the user's repository tracks. \`include\` and \`exclude\` of \`session/open\` change this. Contents are exact bytes, without filters or line-end conversion. \`skipped\` lists each path that the checkpoint leaves out, with the reason. \`complete\` is true if nothing was left out and no program wrote to a database during the capture. \`capture.path\` is \`fast\` if the daemon read only changed files. \`capture.path\` is \`cold\` if the daemon read the whole tree; \`reason\` then says why.

**Only if changed.** \`checkpoint/create\` makes a checkpoint even if nothing changed. With \`onlyIfChanged: true\`, the daemon makes no checkpoint if nothing changed, and answers \`created: false\`. \`checkpoint/hasChanges\` only returns whether anything changed.

List checkpoints in pages. Send the \`nextCursor\` of an answer as \`cursor\` of the next request, until an answer has no \`nextCursor\`. If the list has changed meanwhile, the daemon refuses the cursor. Then begin again without a cursor.

${asks(8, 'checkpoint/list', { session, limit: 2 })}
${answers(8, { checkpoints: [base, turn], nextCursor: 'WyJzZXNfOTRjcHdqcXR2YXloZTcyNDRlNGU1cjRjd2EiXQ' })}
\`checkpoint/diff\` compares two checkpoints. Without \`to\`, the request compares one checkpoint with the work tree.

${asks(9, 'checkpoint/diff', { session, from: '1', to: '1.1' })}
${answers(9, {
  files: [
    {
      path: 'src/lexer.ts',
      absolutePath: '/home/ada/project/src/lexer.ts',
      change: 'added',
      linesAdded: 1,
      linesRemoved: 0,
      afterMode: '100644',
      afterSize: 22,
    },
    {
      path: 'src/parser.ts',
      absolutePath: '/home/ada/project/src/parser.ts',
      change: 'modified',
      linesAdded: 1,
      linesRemoved: 1,
      beforeMode: '100644',
      afterMode: '100644',
      beforeSize: 24,
      afterSize: 24,
    },
  ],
  stats: { added: 1, deleted: 0, modified: 1 },
})}
With \`format: "unified"\` the answer has a patch as \`text\`, which \`git apply\` accepts. \`checkpoint/readFile\` reads one file of a checkpoint, \`checkpoint/files\` lists its files, and \`checkpoint/expand\` returns a turn with its tools.

**File names are bytes.** A path that is not UTF-8 comes with \`pathBytes\`, the exact bytes in base64, beside a \`path\` for people. Send both fields back unchanged.
`;

const restores = `### Restores

A restore brings the work tree to the state of a checkpoint. Before a restore changes a file, the daemon makes a *safety checkpoint* of the present state. So every restore can be undone.

Show the user the plan first. \`dryRun\` returns exactly what the restore would do:

${asks(12, 'checkpoint/restore', { session, tag: '1', mode: 'hard', dryRun: true })}
${answers(12, {
  restored: [{ path: 'src/parser.ts' }],
  deleted: [{ path: 'src/lexer.ts' }],
  failed: [],
  conflicts: [],
  skipped: [],
  counts,
  dryRun: true,
  ms: 190,
  operation: 'op_6rvphr6j644qjv7vxd3n',
})}
Then restore:

${asks(13, 'checkpoint/restore', { session, tag: '1', mode: 'hard', idempotencyKey: 'back-1' })}
${answers(13, {
  restored: [{ path: 'src/parser.ts' }],
  deleted: [{ path: 'src/lexer.ts' }],
  failed: [],
  conflicts: [],
  skipped: [],
  safety,
  conversation: noConversation,
  checkpoint: restored,
  counts,
  ms: 403,
  operation: 'op_49r3cdrhsp9sn9j2tbm0',
})}
**Mode.** \`soft\` (the default) writes every file of the checkpoint and keeps files that were created later. \`hard\` also deletes files that were created later, so that the work tree equals the checkpoint. Neither mode changes ignored files. The only exception is an ignored file at a path that the restore needs; the safety checkpoint saves this file first.

**Scope.** \`both\` (the default) restores files and conversation. \`files\` or \`conversation\` restores only that part. With \`paths\`, the daemon restores only these files, and the scope is \`files\`.

**The lists.** Each affected path is in one of four lists. Paths in \`restored\` were written, and paths in \`deleted\` were deleted. Paths in \`failed\` could not be changed, although the rest of the restore was done. Paths in \`skipped\` were left unchanged on purpose. A path is also in \`conflicts\` if it had edits from outside the session, for example by the user. Long lists are cut; \`counts\` is always complete.

**Edits of the user.** The daemon knows which contents the session itself wrote. \`onConflict\` says what to do with other edits: \`overwrite\` (the default; the safety checkpoint has the edit), \`skip\` (leave the file) or \`fail\` (change nothing). Report each write of the agent at once with \`ledger/recordWrite\` (parameters \`session\` and \`path\`), or make a checkpoint after each tool.

**Large deletions.** A restore needs \`confirm: true\` if it would delete more than 100 files, and these are more than half of all files.

**Undo and redo.** \`checkpoint/undo\` reverses the last restore, and \`checkpoint/redo\` repeats that restore. A second undo reverses the next older restore. After a new checkpoint of a turn or tool, there is nothing to redo. An undo changes only paths that the restore changed, and keeps later changes of other paths.

${asks(14, 'checkpoint/undo', { session })}
**What a restore never does.** A restore removes no checkpoint: later checkpoints stay in the list as \`detached\` and can be restored. A restore writes nothing outside the work tree, even if a link leads out of the work tree. A restore never gives a user more rights to a file than the user had before.

**Interrupted restores.** If the daemon dies during a restore, each file has either its old or its new content. Before the next request that changes the session, the daemon finishes or undoes the restore. The answer to that request has a warning, and \`checkpoint/didRestore\` reports the recovery with \`recovered: true\`. Before the recovery, \`checkpoint/list\` and other reads still work.

**Reload open files.** After a restore, reload the files in \`restored\` and close the files in \`deleted\`. Warn the user before a restore if one of these files has unsaved changes.
`;

const conversation = `### Reverts

A revert reverses the changes of one turn or of a range, and keeps all later changes. \`tag\` names a turn, a tool or a restore. \`from\` and \`to\` name a range: \`to\` is a later checkpoint that descends from \`from\`. The daemon merges three versions of each file, as git does. Show the plan first. For each path, \`outcome\` is \`clean\`, \`alreadyGone\` (there is nothing left to reverse) or \`conflict\` (later changes conflict with the revert).

The last turn includes all changes up to now. So a revert of this turn also reverses what the user has edited since the turn's last checkpoint. To keep these edits, name the turn's tools, or give \`from\` and \`to\`.

${asks(25, 'checkpoint/revert', { session, from: '1', to: '1.1', dryRun: true })}
${answers(25, {
  from: turn.id,
  to: tool.id,
  paths: [
    { path: 'src/lexer.ts', outcome: 'clean' },
    {
      path: 'src/parser.ts',
      outcome: 'conflict',
      reason: 'content',
      taken: { author: 'agent' },
      later: { author: 'user' },
    },
  ],
  restored: [],
  deleted: [{ path: 'src/lexer.ts' }],
  failed: [],
  conflicts: [{ path: 'src/parser.ts', author: 'user' }],
  skipped: [{ path: 'src/parser.ts', reason: 'conflict' }],
  counts: { restored: 0, deleted: 1, failed: 0, conflicts: 1, skipped: 1 },
  dryRun: true,
  ms: 41,
  operation: 'op_3cbr8kjx5h0vqg2n7wpd',
})}
\`conflicts\` says what to do with paths in conflict: \`"leave"\` (the default) keeps them as they are, \`"markers"\` writes both versions with markers, and \`"fail"\` refuses the whole revert. \`paths\` limits a revert to some files, and \`hunks\` to single hunks that \`checkpoint/diff\` named. \`checkpoint/undo\` reverses a revert.

${asks(28, 'checkpoint/diff', { session, from: '1', to: '2', format: 'unified', perFile: true })}
${answers(28, {
  files: [
    {
      path: 'src/parser.ts',
      absolutePath: `${workspace}/src/parser.ts`,
      change: 'modified',
      unified:
        'diff --git a/src/parser.ts b/src/parser.ts\nindex f69356e..11b1e29 100644\n--- a/src/parser.ts\n+++ b/src/parser.ts\n@@ -1,5 +1,5 @@\n export function parse(text: string): string[] {\n-  return text.split(",");\n+  return text.split(";");\n }\n \n // The version of the format.\n',
      hunks: [{ id: '2e709617c23425d7', beforeStart: 1, beforeLines: 5, afterStart: 1, afterLines: 5 }],
      linesAdded: 1,
      linesRemoved: 1,
      beforeMode: '100644',
      afterMode: '100644',
      beforeSize: 159,
      afterSize: 159,
    },
  ],
  stats: { added: 0, modified: 1, deleted: 0 },
})}
${asks(29, 'checkpoint/revert', {
  session,
  from: '1',
  to: '2',
  hunks: [{ path: 'src/parser.ts', id: '2e709617c23425d7' }],
})}
${answers(29, {
  from: 'ckpt_3jqr5dqa2efn3n4ap9de',
  to: 'ckpt_etd8pbem5n5yrtfj4wwp',
  paths: [{ path: 'src/parser.ts', outcome: 'clean' }],
  restored: [{ path: 'src/parser.ts' }],
  deleted: [],
  failed: [],
  conflicts: [],
  skipped: [],
  safety: 'ckpt_cay3w29fevg0kfp27cjy',
  checkpoint: {
    id: 'ckpt_c1ykx5k84epaqn84t7dq',
    previousTag: '2',
    parent: 'ckpt_etd8pbem5n5yrtfj4wwp',
    commit: 'a717652101d2b4aaf010f9fdacf9ac6634e027d5',
    kind: 'restore',
    seq: 7,
    timestamp: '2026-11-26T13:57:21.498Z',
    description: 'Reverted 1 hunk of 1 to 2',
    isTurn: false,
    snapshot: '11f8fd8e882f42fc03ad422306dc8e632a02601b',
    stats: { added: 0, modified: 1, deleted: 0 },
    historyLength: 0,
  },
  counts: { restored: 1, deleted: 0, failed: 0, conflicts: 0, skipped: 0 },
  ms: 71,
  operation: 'op_sdyjb61cgjtt4173hy5a',
})}
**Only one author.** With \`author\`, a revert reverses only what one session wrote. Give the id of that session or the name of its agent. Without \`tag\` and \`from\`, the revert covers everything that this author wrote since the first checkpoint. \`checkpoint/restore\` accepts \`author\`, too. The daemon relies on \`ledger/recordWrite\` and keeps changes that no session reported. If a file has several authors, only the lines of the requested author are reverted (\`partial\`). If the daemon cannot distinguish the authors, the file is in \`skipped\`.

${asks(26, 'checkpoint/revert', { session, author: 'codex', idempotencyKey: 'without-codex' })}
${answers(26, {
  from: 'ckpt_8pdtprms7e46cv3tcy70',
  paths: [
    { path: 'src/lexer.ts', outcome: 'clean' },
    { path: 'src/parser.ts', outcome: 'clean', partial: true },
  ],
  restored: [{ path: 'src/parser.ts' }],
  deleted: [{ path: 'src/lexer.ts' }],
  failed: [],
  conflicts: [],
  skipped: [{ path: 'src/notes.md', reason: 'unknownAuthor' }],
  safety: 'ckpt_h4yf6dmkm1g7045hm6zn',
  checkpoint: {
    id: 'ckpt_tkhdaxpyqke3bdmtav9c',
    parent: 'ckpt_zsj4ah131rrkn2sa6548',
    commit: '4fc30794bcead4dba0736d9007c223123feded2f',
    kind: 'restore',
    seq: 9,
    timestamp: '2026-11-26T13:57:22.148Z',
    description: 'Reverted all work of codex',
    isTurn: false,
    snapshot: '6f604e5ee1c412e38221e42797ef011505195ef7',
    stats: { added: 0, modified: 1, deleted: 1 },
    historyLength: 0,
  },
  counts: { restored: 1, deleted: 1, failed: 0, conflicts: 0, skipped: 1 },
  ms: 166,
  operation: 'op_20nbqt83ksbbvykdbv5y',
})}
### Conversation

The daemon stores the conversation beside the files, so that a restore can restore both. An entry is a user message with the assistant's answer. The daemon reads only \`content\`, tool uses and tool results of an entry, and returns all other fields unchanged.

${asks(3, 'conversation/append', {
  session,
  entry: {
    user: { content: 'tidy up the parser' },
    assistant: { content: 'I edit the parser.', toolUses: [{ id: 't1', name: 'edit' }] },
  },
})}
${answers(3, { id: 'ent_60qpt74mqjtbxkz1v256', dropped: 0, historyLength: 1, transcriptLength: 3, validHistoryRange: { start: 0, end: 1 }, operation: 'op_bqeagt7kc4wy6pwvdhy2' })}
Results of tools belong to the user message of the next entry:

${asks(4, 'conversation/append', {
  session,
  entry: {
    user: { content: '', toolResults: [{ toolUseId: 't1', content: 'ok' }] },
    assistant: { content: 'The parser is tidy.' },
  },
})}
**History and transcript.** The history is for the model. The history has at most 10,000 entries; the daemon drops the oldest entries first and counts them in \`dropped\`. The valid range is the part of the history that goes to the model. The valid range always starts at an entry without tool results, because a model refuses results that it did not request. The transcript is for people, as lines of text.

${asks(5, 'conversation/history', { session, limit: 1 })}
${answers(5, {
  entries: [
    {
      id: 'ent_60qpt74mqjtbxkz1v256',
      user: { content: 'tidy up the parser' },
      assistant: { content: 'I edit the parser.', toolUses: [{ id: 't1', name: 'edit' }] },
    },
  ],
  start: 0,
  historyLength: 2,
  validHistoryRange: { start: 0, end: 2 },
  nextCursor: 'WyJoaXN0b3J5IHNlc185NGNwd2pxdCJd',
})}
**The next message.** \`conversation/setNextMessage\` stores the prompt before the turn. The next checkpoint of a turn uses this prompt as its description. With \`lock\` the message stays until a turn uses it.

**Context files.** \`conversation/addContext\` adds paths and globs whose files go to the model. \`conversation/context\` lists the files, and with \`message: true\` builds the text of the context message. All context files together may fill three quarters of the model's window; \`dropped\` lists the files that do not fit.

**Compaction.** When \`conversation/didFillWindow\` reports a full window, ask your model for a summary and send the summary. The valid range then starts after the summarised entries.

${asks(11, 'conversation/compact', { session, summary: 'The parser is tidy.', keep: 0 })}
${answers(11, { historyLength: 2, transcriptLength: 5, validHistoryRange: { start: 2, end: 2 }, operation: 'op_2tm099f9y2mvqg5pjhhe' })}
**Tangents.** A tangent is a side conversation that leaves no trace. \`conversation/enterTangent\` begins a tangent, and \`conversation/exitTangent\` returns to the main conversation. If you enter a tangent with \`files: true\`, leaving it also restores the files as they were before. If you leave the tangent with \`keepTail: true\`, the last entry of the tangent is added to the main conversation, and the files stay.

${asks(8, 'conversation/enterTangent', { session, files: true })}
${answers(8, { entered: true, checkpoint: 'ckpt_j9jz3twjtw8t4nbb8wdq', operation: 'op_xpyqby773mrvp0effd5x' })}
**Going back in the conversation.** A restore with scope \`both\` or \`conversation\` restores history, range, transcript, summary, messages and tangent state of the checkpoint. A restore does not change settings: tools, context paths, model and limits. \`conversation/forget\` removes the last messages without touching files, and \`conversation/clear\` empties the conversation.

**Documents.** \`conversation/export\` writes the conversation as JSON, and \`conversation/import\` reads such a document, or a document of Q CLI, into a session. Documents contain no checkpoints.
`;

const errors = `### Errors and events

The answer to a refused request is an error. Use \`data.kind\` in programs. Show \`message\` to people: it says what is wrong and what to do.

${asks(23, 'checkpoint/restore', { session, tag: '7' })}
${refuses(23, { code: 1002, message: 'Checkpoint "7" not found. Use checkpoint/list to see the checkpoints.', data: { kind: 'UnknownCheckpoint', retryable: false, effects: 'none', operationId: 'op_b5p5vayvxnfrdz45jbp9', details: { tag: '7' } } })}
- \`retryable\` is true if the same request may succeed later without a change by the client. Wait before you repeat the request, for example 100 ms, then 200 ms.
- \`effects\` says what the request changed. \`none\` means that nothing changed. \`committed\` means that the change took effect although the answer is an error. \`rolledBack\` means that the change began and was undone. With \`unknown\`, look at the session, or ask \`operation/get\`.
- \`issues\` names each wrong parameter by its JSON pointer.

${asks(24, 'checkpoint/create', { session, kind: 'trun' })}
${refuses(24, { code: -32602, message: 'checkpoint/create: params/kind should be one of turn, tool.', data: { kind: 'InvalidParams', retryable: false, effects: 'none', issues: [{ path: '/kind', message: 'should be one of turn, tool', expected: 'turn | tool' }] } })}
**Keys.** Give each intended change an \`idempotencyKey\` of your own. If the daemon dies before it answers, start it again, open the session and send the same request with the same key. The daemon makes the change only once, and answers the repeated request with the first result. The daemon refuses the same key with other parameters. \`operation/get\` returns the outcome of a key without repeating the request:

${asks(16, 'operation/get', { session, idempotencyKey: 'none' })}
${answers(16, { state: 'unknown' })}
**Warnings.** A successful change may have \`warnings\`. A warning reports a fact that the user should know, or a step after the change that failed.

**Cancelling.** Send \`$/cancelRequest\` with the id of a request. A request that has not yet taken effect then ends with the error \`RequestCancelled\` and changes nothing. A request that has taken effect ends with its result. Each request gets exactly one answer in both cases.

${notifies('$/cancelRequest', { id: 18 })}
${refuses(18, { code: -32800, message: 'The request was cancelled; nothing was changed.', data: { kind: 'RequestCancelled', retryable: false, effects: 'none' } })}
**Progress.** A request with a \`workDoneToken\` that takes longer than 100 ms reports its progress with \`$/progress\`: one \`begin\`, then \`report\`s, and one \`end\` before the answer.

${notifies('$/progress', { token: 't7', value: { kind: 'begin', title: 'Creating a checkpoint', cancellable: true } })}
**Events.** Name the events that you want in \`initialize\`, for example with \`"capabilities": {"checkpointd": {"events": ["checkpoint/didRestore"]}}\`. The daemon then sends these events for all its open sessions, and each event names its session. If another client caused an event, \`origin\` names that client.

${notifies('checkpoint/didRestore', { session, target: turn.id, checkpoint: restored, safety, counts, ms: 403 })}
| event | reports |
|---|---|
| \`checkpoint/didCreate\`, \`checkpoint/didRestore\`, \`checkpoint/didFail\` | a checkpoint was made or restored, or an operation failed |
| \`conversation/didChange\`, \`conversation/didFillWindow\` | the conversation changed; the model's window is nearly full |
| \`worktree/didChange\`, \`worktree/didDrift\` | files changed; a capture found changes that the watcher had missed |
| \`session/didOpen\` | a session was opened |
| \`remote/didPush\`, \`remote/didFindLine\` | a push in the background has ended; a push found another machine's line of the session |
| \`window/logMessage\` | a message for people; clients need not name this event |

Events about files may be late, repeated or merged. Use these events only to refresh a view. Checkpoints do not depend on events.

**The order of messages.** The daemon sends answers and notifications, never requests. Requests that change a session run one after the other, in the order of arrival. Requests that only read run immediately, without waiting in a queue. At most \`limits.maxInFlight\` requests may wait for answers; further requests get \`ServerBusy\`. A newer daemon may send unknown fields and enum values: ignore the fields, and replace the values by a default.

**The end.** Send \`shutdown\`, wait for its answer, then send \`exit\` and close the pipes. The daemon ends with code 0. If a client disappears, the daemon ends by itself. Wait two seconds before you kill the daemon.
`;

const details = `### Details

These details are too long for the tables.

- **Durability.** With \`process\`, the default, an answered change survives the death of the daemon at any instant. A power cut may lose the changes of the last half minute, but it leaves no incomplete checkpoint or message. With \`power\`, every change is on the disk before its answer. In both cases, a power cut loses no file that a restore displaced or wrote, and no object or ref of the strategy \`local\`. If a power cut damaged restored files, the next opening restores them again, unless a program has changed them since.
- **Databases.** A program may write to a SQLite database, its \`-wal\` or its \`-journal\` during the capture. \`possiblyTorn\` in the answer of \`checkpoint/create\` lists these databases, whose copies may be inconsistent. Make a checkpoint when the program is idle, or let the program run \`PRAGMA wal_checkpoint\` and close the database first.
- **Unreported writes.** Linux does not report three kinds of writes: writes through \`mmap\` to a file that has not changed for a minute, writes by Linux AIO, and writes through another name of the file outside the work tree. A full scan finds these changes. The scan starts two seconds after a capture, or after five times the duration of the previous scan if that is longer. Every fiftieth capture is a full scan, too. On a file system that does not record such writes (tmpfs), the changes may stay undetected.
- **Descriptions.** If files changed although the tool only reads files (\`fs_read\`, \`read_file\`, \`Read\`), the default description of the checkpoint is \`External edits detected (likely manual change)\`.
- **Deleting the current checkpoint.** After \`checkpoint/delete\` of the current checkpoint, the newest remaining checkpoint is the current checkpoint.
- **Forgetting.** For \`conversation/forget\`, a message is a text of the user with all answers, tool calls and tool results until the user's next text. If \`nextMessage\` has tool results, the daemon removes \`nextMessage\`, too. Inside a tangent, only the tangent's history gets shorter.
- **Agents.** The active agent is the agent that \`activeIdx\` names. Without \`activeIdx\`, the active agent is the only agent, or the agent named \`default\`. Each of the agent's \`resources\` is \`file://\` with a path or glob of the work tree.
- **Exports.** If the path already has the identical document, the export writes nothing and succeeds.
- **Replaced work trees.** If the directory of the work tree was replaced since the session was made, \`session/open\` warns that older checkpoints contain the files of the old directory.
- **Limits in a shared database.** \`maxStoreBytes\` of a session also counts contents that the session shares with other sessions. If checkpoints that must stay are larger than the limit, the answer to the next change has a warning.
- **Garbage.** \`store/gc\` removes the checkpoint of a restore if neither undo nor redo needs it.
`;

/**
 * The guide, which comes before the tables of the reference. The guide has five parts of about two pages each, and
 * details that the tables leave out.
 */
export const guide = `## Guide

Read this part in order. The guide takes about 20 minutes, and then you can write a client. The tables below have the details. Every request is complete: replace the session's id by your own, put the request into a frame, and send it. A real answer can have more fields than the answer in the guide.

${sessions}
${checkpoints}
${restores}
${conversation}
${errors}
${details}`;
