if vim.g.loaded_torchlsp then
  return
end
vim.g.loaded_torchlsp = true

vim.api.nvim_create_user_command("Torchlsp", function(call)
  require("torchlsp").command(call.fargs)
end, {
  nargs = "+",
  complete = function(typed, line)
    return require("torchlsp").complete(typed, line)
  end,
  desc = "A command of torchlsp's server, or restart",
})
