-- The transport of Neovim alone, vim.lsp.rpc.start, without its LSP client: what a plugin for something else uses.
local function run()
  local words = vim.fn.json_decode(vim.env.COMMAND)
  local program = table.remove(words, 1)
  local notes, code = {}, nil
  local rpc = vim.lsp.rpc.start(program, words, {
    notification = function(method) table.insert(notes, method) end,
    on_exit = function(status) code = status end,
  })
  assert(rpc, 'no daemon')
  local function request(method, params)
    local done, failure, result = false, nil, nil
    assert(rpc.request(method, params, function(err, value) done, failure, result = true, err, value end))
    assert(vim.wait(30000, function() return done end, 10), method)
    return result, failure
  end
  -- An empty table of Lua is `[]` on the wire.
  assert(request('initialize', { capabilities = {} }).serverInfo.name == 'checkpointd')
  rpc.notify('initialized', {})
  local open = { workspace = vim.env.WORK, storageDir = vim.env.STORAGE, init = 'force' }
  local session = assert(request('session/open', open)).session
  local made = assert(request('checkpoint/create', { session = session, kind = 'turn' }))
  assert(made.checkpoint.tag == '1')
  assert(#assert(request('checkpoint/list', { session = session })).checkpoints == 2)
  assert(#assert(request('checkpoint/diff', { session = session, from = '0', to = '1' })).files == 0)
  assert(request('checkpoint/restore', { session = session, tag = '0' }))
  local _, err = request('checkpoint/get', { session = session, tag = '7' })
  assert(err.data.kind == 'UnknownCheckpoint' and err.data.retryable == false, vim.inspect(err))
  assert(#notes == 0, 'nobody asked for events')
  request('shutdown', {})
  rpc.notify('exit', {})
  assert(vim.wait(5000, function() return code ~= nil end, 10), 'the daemon did not end')
  assert(code == 0, 'exit code ' .. tostring(code))
end

local ok, err = pcall(run)
io.stdout:write(ok and '\nALL WELL\n' or ('\n' .. tostring(err) .. '\n'))
vim.cmd(ok and 'qall!' or 'cquit 1')
