-- Does in Neovim what a user does, and writes what Neovim then knows as JSON to $REPORT.
-- Everything polls for its condition; what never comes is named in `failed`. Runs in 0.7 and in 0.11.

local report = { notified = {} }
local SECONDS = 30
local HAS_HINTS = vim.lsp.inlay_hint ~= nil

vim.notify = function(message)
  table.insert(report.notified, message)
end

-- The user takes the entry of the menu that is called $FIX.
vim.ui.select = function(items, _, chosen)
  for _, item in ipairs(items) do
    local action = item.action or item[2]
    if action.title == vim.env.FIX then
      chosen(item)
      return
    end
  end
  error("not offered: " .. vim.env.FIX)
end

local function leave()
  local file = assert(io.open(vim.env.REPORT, "w"))
  file:write(vim.json.encode(report))
  file:close()
  vim.cmd("qa!")
end

local function await(what, condition)
  local value
  local came = vim.wait(SECONDS * 1000, function()
    value = condition()
    return value and true or false
  end, 20)
  if not came then
    error("never came: " .. what)
  end
  return value
end

local function told(one)
  return one.user_data and one.user_data.lsp or {}
end

local function diagnostics()
  return vim.tbl_map(function(one)
    return {
      lnum = one.lnum,
      col = one.col,
      end_col = one.end_col,
      code = one.code or told(one).code,
      message = one.message,
      severity = one.severity,
      source = one.source,
      because = vim.tbl_map(function(step)
        return step.message
      end, told(one).relatedInformation or {}),
    }
  end, vim.diagnostic.get(0))
end

local function awaited_diagnostics(what, count, code)
  return await(what, function()
    local found = diagnostics()
    return #found == count and (count == 0 or found[1].code == code) and found
  end)
end

local function clients()
  return vim.tbl_filter(function(client)
    return client.name == "torchlsp" and vim.lsp.buf_is_attached(0, client.id)
  end, (vim.lsp.get_clients or vim.lsp.get_active_clients)())
end

local function hover(client, row, column)
  vim.api.nvim_win_set_cursor(0, { row, column })
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", params, SECONDS * 1000) or {}
  local result = (answers[client.id] or {}).result
  return type(result) == "table" and result.contents.value or vim.NIL
end

local function type_keys(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, true, true), "tx", false)
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function drive()
  local row, column = tonumber(vim.env.ROW), tonumber(vim.env.COLUMN)
  local client = await("an initialized server", function()
    local found = clients()[1]
    return found and found.initialized and found
  end)
  report.encoding = client.offset_encoding
  report.root = client.config.root_dir
  report.pulls = client.server_capabilities.diagnosticProvider ~= nil
  report.found = awaited_diagnostics("the finding", 1, "TL101")
  report.hover = hover(client, row, column)
  if HAS_HINTS then
    report.hints = await("inlay hints", function()
      local found = vim.lsp.inlay_hint.get({ bufnr = 0 })
      return #found > 0
        and vim.tbl_map(function(one)
          return { one.inlay_hint.position.line, one.inlay_hint.position.character, one.inlay_hint.label }
        end, found)
    end)
  end

  -- Typed in the way of a user: the text does not parse until it is taken back, and the finding stays.
  type_keys("Goif flag and (<Esc>")
  report.hover_while_broken = hover(client, row, column)
  report.broken = awaited_diagnostics("the finding beside what does not parse", 1, "TL101")
  type_keys("Gdd")
  awaited_diagnostics("the finding after the repair", 1, "TL101")

  local before = table.concat(lines(), "\n")
  vim.api.nvim_win_set_cursor(0, { row, column })
  vim.lsp.buf.code_action()
  await("the fix", function()
    return table.concat(lines(), "\n") ~= before
  end)
  report.fixed = lines()
  awaited_diagnostics("no finding after the fix", 0)

  vim.cmd("silent undo 0")
  report.undone = lines()
  report.found_again = awaited_diagnostics("the finding after undo", 1, "TL101")
end

local ok, failure = pcall(drive)
if not ok then
  report.failed = tostring(failure)
  report.diagnostics = diagnostics()
end
leave()
