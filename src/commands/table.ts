// Every command by its method; a method that has none does not compile. It decides nothing.
import {
  checkpointClean,
  checkpointDelete,
  checkpointExpand,
  checkpointGet,
  checkpointHasChanges,
  checkpointInit,
  checkpointList,
  checkpointRename,
} from './checkpoint.ts';
import {
  checkpointDiff,
  checkpointFiles,
  checkpointReadFile,
  checkpointStats,
} from './checkpoint-contents.ts';
import { checkpointCreate } from './checkpoint-create.ts';
import { checkpointRedo, checkpointRestore, checkpointUndo } from './checkpoint-restore.ts';
import type { Commands } from './command.ts';
import {
  conversationAddContext,
  conversationAppend,
  conversationAppendTranscript,
  conversationClear,
  conversationCompact,
  conversationContext,
  conversationForget,
  conversationGet,
  conversationHistory,
  conversationRecordLines,
  conversationRemoveContext,
  conversationSetAgents,
  conversationSetMcpEnabled,
  conversationSetModel,
  conversationSetNextMessage,
  conversationSetTools,
  conversationSetValidRange,
  conversationTranscript,
} from './conversation.ts';
import { conversationExport, conversationImport } from './conversation-document.ts';
import { ledgerHistory, ledgerRecordWrite } from './ledger.ts';
import { operationGet } from './operation.ts';
import { sessionClose, sessionDelete, sessionGet, sessionList, sessionOpen } from './session.ts';
import { storeGc, storeUsage, storeVerify } from './store.ts';
import { conversationEnterTangent, conversationExitTangent, conversationTangent } from './tangent.ts';
import { worktreeStatus } from './worktree.ts';

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
