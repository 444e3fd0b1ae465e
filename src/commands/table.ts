// Generated from protocol/protocol.json by scripts/generate-protocol.ts. Do not edit.
// Every command by its method. It decides nothing.
import { command as checkpointClean } from './checkpoint/clean.ts';
import { command as checkpointCreate } from './checkpoint/create.ts';
import { command as checkpointDelete } from './checkpoint/delete.ts';
import { command as checkpointDiff } from './checkpoint/diff.ts';
import { command as checkpointExpand } from './checkpoint/expand.ts';
import { command as checkpointFiles } from './checkpoint/files.ts';
import { command as checkpointGet } from './checkpoint/get.ts';
import { command as checkpointHasChanges } from './checkpoint/has-changes.ts';
import { command as checkpointInit } from './checkpoint/init.ts';
import { command as checkpointList } from './checkpoint/list.ts';
import { command as checkpointReadFile } from './checkpoint/read-file.ts';
import { command as checkpointRedo } from './checkpoint/redo.ts';
import { command as checkpointRename } from './checkpoint/rename.ts';
import { command as checkpointRestore } from './checkpoint/restore.ts';
import { command as checkpointStats } from './checkpoint/stats.ts';
import { command as checkpointUndo } from './checkpoint/undo.ts';
import type { Commands } from './command.ts';
import { command as conversationAppend } from './conversation/append.ts';
import { command as conversationClear } from './conversation/clear.ts';
import { command as conversationCompact } from './conversation/compact.ts';
import { command as conversationAddContext } from './conversation/context/add-context.ts';
import { command as conversationContext } from './conversation/context/context.ts';
import { command as conversationRemoveContext } from './conversation/context/remove-context.ts';
import { command as conversationExport } from './conversation/export.ts';
import { command as conversationForget } from './conversation/forget.ts';
import { command as conversationGet } from './conversation/get.ts';
import { command as conversationHistory } from './conversation/history.ts';
import { command as conversationImport } from './conversation/import.ts';
import { command as conversationRecordLines } from './conversation/record-lines.ts';
import { command as conversationSetAgents } from './conversation/set-agents.ts';
import { command as conversationSetMcpEnabled } from './conversation/set-mcp-enabled.ts';
import { command as conversationSetModel } from './conversation/set-model.ts';
import { command as conversationSetNextMessage } from './conversation/set-next-message.ts';
import { command as conversationSetTools } from './conversation/set-tools.ts';
import { command as conversationSetValidRange } from './conversation/set-valid-range.ts';
import { command as conversationEnterTangent } from './conversation/tangent/enter-tangent.ts';
import { command as conversationExitTangent } from './conversation/tangent/exit-tangent.ts';
import { command as conversationTangent } from './conversation/tangent/tangent.ts';
import { command as conversationAppendTranscript } from './conversation/transcript/append-transcript.ts';
import { command as conversationTranscript } from './conversation/transcript/transcript.ts';
import { command as ledgerHistory } from './ledger/history.ts';
import { command as ledgerRecordWrite } from './ledger/record-write.ts';
import { command as operationGet } from './operation/get.ts';
import { command as sessionClose } from './session/close.ts';
import { command as sessionDelete } from './session/delete.ts';
import { command as sessionGet } from './session/get.ts';
import { command as sessionList } from './session/list.ts';
import { command as sessionOpen } from './session/open.ts';
import { command as storeGc } from './store/gc.ts';
import { command as storeUsage } from './store/usage.ts';
import { command as storeVerify } from './store/verify.ts';
import { command as worktreeStatus } from './worktree/status.ts';

export const commands: Commands = {
  'checkpoint/clean': checkpointClean,
  'checkpoint/create': checkpointCreate,
  'checkpoint/delete': checkpointDelete,
  'checkpoint/diff': checkpointDiff,
  'checkpoint/expand': checkpointExpand,
  'checkpoint/files': checkpointFiles,
  'checkpoint/get': checkpointGet,
  'checkpoint/hasChanges': checkpointHasChanges,
  'checkpoint/init': checkpointInit,
  'checkpoint/list': checkpointList,
  'checkpoint/readFile': checkpointReadFile,
  'checkpoint/redo': checkpointRedo,
  'checkpoint/rename': checkpointRename,
  'checkpoint/restore': checkpointRestore,
  'checkpoint/stats': checkpointStats,
  'checkpoint/undo': checkpointUndo,
  'conversation/append': conversationAppend,
  'conversation/clear': conversationClear,
  'conversation/compact': conversationCompact,
  'conversation/addContext': conversationAddContext,
  'conversation/context': conversationContext,
  'conversation/removeContext': conversationRemoveContext,
  'conversation/export': conversationExport,
  'conversation/forget': conversationForget,
  'conversation/get': conversationGet,
  'conversation/history': conversationHistory,
  'conversation/import': conversationImport,
  'conversation/recordLines': conversationRecordLines,
  'conversation/setAgents': conversationSetAgents,
  'conversation/setMcpEnabled': conversationSetMcpEnabled,
  'conversation/setModel': conversationSetModel,
  'conversation/setNextMessage': conversationSetNextMessage,
  'conversation/setTools': conversationSetTools,
  'conversation/setValidRange': conversationSetValidRange,
  'conversation/enterTangent': conversationEnterTangent,
  'conversation/exitTangent': conversationExitTangent,
  'conversation/tangent': conversationTangent,
  'conversation/appendTranscript': conversationAppendTranscript,
  'conversation/transcript': conversationTranscript,
  'ledger/history': ledgerHistory,
  'ledger/recordWrite': ledgerRecordWrite,
  'operation/get': operationGet,
  'session/close': sessionClose,
  'session/delete': sessionDelete,
  'session/get': sessionGet,
  'session/list': sessionList,
  'session/open': sessionOpen,
  'store/gc': storeGc,
  'store/usage': storeUsage,
  'store/verify': storeVerify,
  'worktree/status': worktreeStatus,
};
