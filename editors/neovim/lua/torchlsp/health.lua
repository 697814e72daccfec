-- :checkhealth torchlsp

local M = {}

local LIMIT = 30 -- seconds that a process may take

local health = vim.health or require("health") -- Neovim 0.7 has no vim.health
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local info = health.info or health.report_info
local warn = health.warn or health.report_warn
local bad = health.error or health.report_error

-- Run a program to its end: its exit code, nil when it had to be stopped, and what it wrote.
local function run(argv, input, folder)
  local written = { stdout = "", stderr = "" }
  local open = 3
  local function keep(_, lines, stream)
    written[stream] = table.concat(lines, "\n")
    open = open - 1
  end
  local code
  local started, job = pcall(vim.fn.jobstart, argv, {
    cwd = folder,
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = keep,
    on_stderr = keep,
    on_exit = function(_, status)
      code = status
      open = open - 1
    end,
  })
  if not started or job <= 0 then
    return -1, "", started and "it cannot be run" or tostring(job)
  end
  if input then
    vim.fn.chansend(job, input)
  else
    vim.fn.chanclose(job, "stdin")
  end
  local ended = vim.wait(LIMIT * 1000, function()
    return open == 0
  end, 20)
  if not ended then
    vim.fn.jobstop(job)
    return nil, written.stdout, written.stderr
  end
  return code, written.stdout, written.stderr
end

local function message(value)
  local body = vim.fn.json_encode(vim.tbl_extend("force", { jsonrpc = "2.0" }, value))
  return ("Content-Length: %d\r\n\r\n%s"):format(#body, body)
end

-- A whole session with the server: it begins and ends.
local function session()
  local beginning = { processId = vim.NIL, rootUri = vim.NIL, capabilities = vim.empty_dict() }
  return message({ id = 1, method = "initialize", params = beginning })
    .. message({ method = "initialized", params = vim.empty_dict() })
    .. message({ id = 2, method = "shutdown" })
    .. message({ method = "exit" })
end

local function short(text)
  local lines = vim.split(vim.trim(text), "\n", { plain = true })
  return table.concat(vim.list_slice(lines, math.max(1, #lines - 4)), "\n")
end

local function check_neovim()
  local version = vim.version()
  local said = ("Neovim %d.%d.%d"):format(version.major, version.minor, version.patch)
  if vim.lsp.config then
    ok(said .. ': vim.lsp.enable("torchlsp") starts torchlsp')
  elseif vim.fn.has("nvim-0.7") == 1 then
    ok(said .. ': require("torchlsp").setup() starts torchlsp')
  else
    bad(said .. " is too old", { "torchlsp needs Neovim 0.7 or later" })
  end
end

-- The command without its "server": what other commands of torchlsp begin with. nil when it cannot be run.
local function check_executable(cmd)
  if type(cmd) ~= "table" then
    warn("`cmd` is a function: nothing can be said of the executable")
    return nil
  end
  local path = vim.fn.exepath(cmd[1])
  if path == "" then
    bad(("`%s` is not found"):format(cmd[1]), {
      "pip install . in a copy of the repository (it is not on PyPI yet), in the environment that Neovim is started from",
      'or name it: vim.lsp.config("torchlsp", { cmd = { "/where/it/is/torchlsp", "server" } })',
    })
    return nil
  end
  local program = vim.deepcopy(cmd)
  if program[#program] == "server" then
    table.remove(program)
  end
  local code, said, wrong = run(vim.list_extend(vim.deepcopy(program), { "--version" }))
  if code ~= 0 then
    bad(("`%s --version` fails"):format(table.concat(program, " ")), { short(wrong) })
    return nil
  end
  ok(("%s (%s)"):format(vim.trim(said), path))
  return program
end

local function check_server(cmd)
  local begun = vim.loop.hrtime()
  local code, said, wrong = run(cmd, session())
  local took = (vim.loop.hrtime() - begun) / 1e9
  local command = table.concat(cmd, " ")
  if code == nil then
    bad(("`%s` does not come to its end"):format(command), { short(wrong) })
  elseif not vim.startswith(said, "Content-Length:") then
    local first = said == "" and "nothing" or vim.split(said, "\n", { plain = true })[1]
    bad(("`%s` answers %s"):format(command, first), { short(wrong) })
  elseif code ~= 0 or not said:find('"serverInfo"', 1, true) then
    bad(("`%s` does not answer as a language server does, and ends with %d"):format(command, code), { short(wrong) })
  else
    ok(("`%s` starts, answers and ends, in %.1f s"):format(command, took))
  end
end

local function check_project(program, config, folder)
  local argv = vim.list_extend(vim.deepcopy(program), { "doctor", "--output-format", "json" })
  local settings = config.settings and config.settings.torchlsp or {}
  if type(settings.interpreter) == "string" then
    vim.list_extend(argv, { "--python", settings.interpreter })
  end
  local code, said, wrong = run(argv, nil, folder)
  local decoded, told = pcall(vim.fn.json_decode, said)
  if code ~= 0 or not decoded then
    bad("`torchlsp doctor` fails", { short(wrong) })
    return
  end
  local function of(key)
    local value = told[key]
    return value ~= vim.NIL and value or nil
  end
  info("looked at from " .. folder)
  local python = of("interpreter for torch") or "no Python"
  if of("torch") then
    ok(("torch %s of %s"):format(of("torch"), python))
  else
    warn("there is no torch in " .. python, {
      "findings come without it; what torch says of them, and its documentation on hover, do not",
      "start Neovim with the project's environment active,",
      'or name its Python: settings = { torchlsp = { interpreter = "…" } }',
    })
  end
  info("configuration: " .. (of("configuration") or "none, the defaults hold"))
  info("findings are put to the test: " .. (of("probe") or "no"))
end

local function check_clients()
  local clients = require("torchlsp").clients()
  if #clients == 0 then
    warn("no torchlsp runs in this Neovim", {
      vim.lsp.config and 'vim.lsp.enable("torchlsp") in init.lua, then open a Python file'
        or 'require("torchlsp").setup() in init.lua, then open a Python file',
    })
  end
  for _, client in ipairs(clients) do
    local buffers = #vim.tbl_keys(client.attached_buffers or {})
    if not client.attached_buffers then
      buffers = #vim.lsp.get_buffers_by_client_id(client.id)
    end
    local root = client.config.root_dir or "no folder: a file by itself"
    ok(("client %d: %d buffers, %s, columns in %s"):format(client.id, buffers, root, client.offset_encoding))
  end
end

local function check_shown()
  local shown = vim.diagnostic.config()
  if shown.virtual_text or shown.virtual_lines then
    ok("findings are shown behind or below their lines")
  else
    info("findings are shown as signs and underlines only; vim.diagnostic.config({ virtual_text = true }) says more")
  end
end

function M.check()
  local config = require("torchlsp").config()
  -- The folder of the file that was looked at before this report.
  local clients = require("torchlsp").clients()
  local folder = clients[1] and clients[1].config.root_dir or vim.fn.getcwd()
  start("torchlsp: the editor")
  check_neovim()
  check_shown()
  start("torchlsp: the server")
  local program = check_executable(config.cmd)
  if program then
    check_server(config.cmd)
  end
  check_clients()
  if program then
    start("torchlsp: the project")
    check_project(program, config, folder)
  end
end

return M
