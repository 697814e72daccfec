-- The command :Torchlsp, and the set-up for every Neovim from 0.7 on.

local M = {}

local NAME = "torchlsp"
local PATIENCE = 5000 -- milliseconds that a server has for its own end

local own -- the configuration, where Neovim keeps none itself: before 0.11

local function say(text, level)
  vim.notify("torchlsp: " .. text, level or vim.log.levels.INFO)
end

local function defaults()
  local file = vim.api.nvim_get_runtime_file("lsp/torchlsp.lua", false)[1]
  return assert(file and dofile(file), "lsp/torchlsp.lua is not in the runtime path")
end

-- What starts the server: cmd, filetypes, root_markers, settings.
function M.config()
  if vim.lsp.config then
    return vim.lsp.config[NAME]
  end
  return own or defaults()
end

-- The clients of all buffers, or of one.
function M.clients(buffer)
  local all = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  return vim.tbl_filter(function(client)
    local attached = buffer == nil or vim.lsp.buf_is_attached(buffer, client.id)
    return client.name == NAME and attached
  end, all)
end

---- before Neovim 0.11 --------------------------------------------------------------------------------------------

-- The first marker that is found in a folder above the file decides, as in Neovim 0.11.
local function root_of(file, markers)
  local from = vim.fn.fnamemodify(file, ":p:h")
  for _, marker in ipairs(markers) do
    local upwards = vim.fn.escape(from, " ,;") .. ";"
    for _, found in ipairs({ vim.fn.findfile(marker, upwards), vim.fn.finddir(marker, upwards) }) do
      if found ~= "" then
        return (vim.fn.fnamemodify(found, ":p"):gsub("/+$", ""):gsub("/[^/]*$", ""))
      end
    end
  end
  return nil
end

local function attach(buffer)
  local file = vim.api.nvim_buf_get_name(buffer)
  if file == "" or vim.bo[buffer].buftype ~= "" then
    return
  end
  local root = root_of(file, own.root_markers)
  for _, client in ipairs(M.clients()) do
    if client.config.root_dir == root and not client.is_stopped() then
      vim.lsp.buf_attach_client(buffer, client.id)
      return
    end
  end
  local config = vim.tbl_extend("force", own, { name = NAME, root_dir = root })
  config.workspace_folders = root and { { uri = vim.uri_from_fname(root), name = root } } or nil
  local id = vim.lsp.start_client(config)
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

local function attach_to_all()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.tbl_contains(own.filetypes, vim.bo[buffer].filetype) then
      attach(buffer)
    end
  end
end

-- Start torchlsp for Python files. `options` are those of vim.lsp.config(); before 0.11, of vim.lsp.start_client().
function M.setup(options)
  if vim.lsp.config then
    vim.lsp.config(NAME, options or {})
    vim.lsp.enable(NAME)
    return
  end
  own = vim.tbl_deep_extend("force", defaults(), options or {})
  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup("torchlsp", { clear = true }),
    pattern = own.filetypes,
    callback = function(event)
      attach(event.buf)
    end,
  })
  attach_to_all()
end

---- the commands --------------------------------------------------------------------------------------------------

local function ask(client, command, arguments, answered)
  local function handler(failure, answer)
    if failure then
      say(command .. ": " .. (failure.message or vim.inspect(failure)), vim.log.levels.ERROR)
    elseif answered then
      answered(answer ~= vim.NIL and answer or nil)
    end
  end
  local params = { command = "torchlsp." .. command, arguments = arguments }
  if vim.fn.has("nvim-0.11") == 1 then
    client:request("workspace/executeCommand", params, handler, 0)
  else
    client.request("workspace/executeCommand", params, handler, 0)
  end
end

local function here()
  return vim.uri_from_bufnr(0)
end

-- The findings of the cursor's line, those under the cursor first.
local function findings()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local found = vim.tbl_filter(function(one)
    return one.source == NAME
  end, vim.diagnostic.get(0, { lnum = row - 1 }))
  local function apart(one)
    return one.col <= column and (one.end_lnum > one.lnum or column < one.end_col) and 0 or 1
  end
  table.sort(found, function(a, b)
    if apart(a) ~= apart(b) then
      return apart(a) < apart(b)
    end
    return a.col < b.col
  end)
  return found
end

local function code_of(finding)
  local told = finding.user_data and finding.user_data.lsp or {}
  return finding.code or told.code
end

-- A window with a text that is nobody's file.
local function show(name, lines, filetype)
  vim.cmd("new")
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  local buffer = vim.bo[vim.api.nvim_get_current_buf()]
  buffer.buftype, buffer.bufhidden, buffer.swapfile, buffer.modified = "nofile", "wipe", false, false
  buffer.filetype = filetype
  pcall(vim.api.nvim_buf_set_name, 0, "torchlsp://" .. name)
end

-- A text that the server opens itself where Neovim lets it, which it does from 0.8 on.
local function show_answer(name, filetype)
  return function(text)
    if text and not vim.lsp.handlers["window/showDocument"] then
      show(name, vim.split(text, "\n", { plain = true }), filetype)
    end
  end
end

local function about_finding(command, answered)
  return function(client)
    local finding = findings()[1]
    if not finding then
      say("there is no finding on this line", vim.log.levels.WARN)
      return
    end
    local code = code_of(finding)
    ask(client, command, { here(), code, finding.lnum }, answered and answered(code))
  end
end

local commands = {
  probe = about_finding("probe"), -- the server shows what came of it
  runnableScript = about_finding("runnableScript", function(code)
    return show_answer(code .. ".py", "python")
  end),
}

function commands.explain(client, code)
  local finding = findings()[1]
  code = code or finding and code_of(finding)
  if not code then
    say("there is no finding on this line; name a code: :Torchlsp explain TL101", vim.log.levels.WARN)
    return
  end
  ask(client, "explain", { code }, show_answer(code .. ".md", "markdown"))
end

function commands.rules(client)
  ask(client, "rules", nil, function(rules)
    vim.ui.select(rules, {
      prompt = "Explain which rule?",
      format_item = function(rule)
        return ("%s  %s"):format(rule.code, rule.name)
      end,
    }, function(rule)
      if rule then
        commands.explain(client, rule.code)
      end
    end)
  end)
end

function commands.fixAll(client)
  ask(client, "fixAll", { here() }, function(made)
    if not made then
      say("there is no safe fix to make")
    end
  end)
end

function commands.checkWorkspace(client)
  ask(client, "checkWorkspace", nil, function(told)
    say(("%d findings in %d files"):format(told.findings, told.files))
    vim.diagnostic.setqflist({ title = "torchlsp", open = told.findings > 0 })
  end)
end

function commands.debugInformation(client)
  ask(client, "debugInformation", nil, function(told)
    show("debug information", vim.split(vim.inspect(told), "\n", { plain = true }), "lua")
  end)
end

-- Run a command in a terminal below all windows, which follows what is written there; the cursor stays where it is.
local function run_in_terminal(argv, folder)
  local window = vim.api.nvim_get_current_win()
  vim.cmd("botright 12new")
  if vim.fn.has("nvim-0.11") == 1 then
    vim.fn.jobstart(argv, { cwd = folder, term = true })
  else
    vim.fn.termopen(argv, { cwd = folder })
  end
  vim.cmd("normal! G")
  vim.api.nvim_set_current_win(window)
end

-- The server notices by itself when the run has ended.
function commands.record(client)
  vim.cmd("silent update") -- what is run is what is on disk
  ask(client, "recordCommand", { here() }, function(told)
    if told then
      run_in_terminal(told.command, told.folder)
    else
      say("this file has neither a main block nor tests", vim.log.levels.WARN)
    end
  end)
end

function commands.recordStatus(client)
  ask(client, "recordStatus", { here() }, function(told)
    if not told then
      say("no run of this file is recorded")
      return
    end
    local at = os.date("%Y-%m-%d %H:%M", math.floor(told.started))
    local changed = told.changed > 0 and (", %d of them changed since"):format(told.changed) or ""
    say(("recorded at %s by %s: %d functions of this file%s"):format(
      at,
      table.concat(told.command, " "),
      told.functions,
      changed
    ))
  end)
end

-- Stop every torchlsp and start it again, with what has changed since: another version, another environment.
function M.restart()
  local before = M.clients()
  if vim.lsp.config then
    vim.lsp.enable(NAME, false)
  end
  for _, client in ipairs(before) do
    vim.lsp.stop_client(client.id)
  end
  local function gone()
    return #M.clients() == 0
  end
  if not vim.wait(PATIENCE, gone, 20) then
    vim.lsp.stop_client(vim.tbl_map(function(client)
      return client.id
    end, before), true)
    vim.wait(PATIENCE, gone, 20)
  end
  if vim.lsp.config then
    vim.lsp.enable(NAME)
  elseif own then
    attach_to_all()
  end
end

function M.command(arguments)
  local name = arguments[1]
  if name == "restart" then
    M.restart()
    return
  end
  local command = commands[name]
  if not command then
    say("there is no command " .. name, vim.log.levels.ERROR)
    return
  end
  local client = M.clients(vim.api.nvim_get_current_buf())[1]
  if not client then
    say("no server is attached to this buffer; see :checkhealth torchlsp", vim.log.levels.ERROR)
    return
  end
  command(client, arguments[2])
end

function M.complete(typed, line)
  local offered
  if line:match("^%s*%S+%s+explain%s") then
    offered = vim.tbl_map(code_of, findings())
  else
    offered = vim.list_extend({ "restart" }, vim.tbl_keys(commands))
  end
  table.sort(offered)
  return vim.tbl_filter(function(one)
    return vim.startswith(one, typed)
  end, offered)
end

return M
