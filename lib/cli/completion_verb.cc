// `headway completion`: scripts for shells. They call `headway completion words` for names of
// verbs, options, stages and so on.
#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/cli/output.h"
#include "lib/cli/verbs.h"
#include "lib/spec/document.h"
#include "lib/sweep/sweep_spec.h"

namespace headway {
namespace {

constexpr const char* kBash = R"BASH(_headway() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} pipeline= word
  local program=${COMP_WORDS[0]}
  for word in "${COMP_WORDS[@]:2}"; do [[ $word == *.yaml || $word == *.yml ]] && { pipeline=$word; break; }; done
  local words=
  if [[ $COMP_CWORD -eq 1 ]]; then words=$($program completion words verbs 2>/dev/null)
  elif [[ $previous == --variant ]]; then words=$($program completion words variants "$pipeline" 2>/dev/null)
  elif [[ $previous == --sweep ]]; then words=$($program completion words sweeps "$pipeline" 2>/dev/null)
  elif [[ $previous == --outputs ]]; then COMPREPLY=($(compgen -d -- "$current")); return
  elif [[ $current == -* ]]; then words=$($program completion words options "$verb" 2>/dev/null)
  elif [[ $verb == stages && -n $pipeline && $pipeline != "$current" ]]; then words=$($program completion words types "$pipeline" 2>/dev/null)
  elif [[ $verb == stages ]]; then
    words=$($program completion words types 2>/dev/null)
    COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -X '!*.y*ml' -- "$current") $(compgen -d -S / -- "$current")); return
  elif [[ $verb == completion ]]; then words="bash zsh fish"
  elif [[ $verb == sweep && -n $pipeline && $pipeline != "$current" ]]; then words=$($program completion words sweeps "$pipeline" 2>/dev/null)
  elif [[ -n $pipeline && $pipeline != "$current" ]]; then words=$($program completion words stages "$pipeline" 2>/dev/null)
  else COMPREPLY=($(compgen -f -X '!*.y*ml' -- "$current") $(compgen -d -S / -- "$current")); compopt -o nospace 2>/dev/null; return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _headway headway ./headway
)BASH";

constexpr const char* kFish = R"FISH(function __headway_pipeline
  for word in (commandline -opc)
    string match -qr '\.ya?ml$' -- $word; and echo $word; and return
  end
end
complete -c headway -n __fish_use_subcommand -f -a '(headway completion words verbs)'
complete -c headway -n 'not __fish_seen_subcommand_from sweep; and test -n "(__headway_pipeline)"' -f -a '(headway completion words stages (__headway_pipeline))'
complete -c headway -l sweep -x -a '(headway completion words sweeps (__headway_pipeline))'
complete -c headway -n '__fish_seen_subcommand_from sweep; and test -n "(__headway_pipeline)"' -f -a '(headway completion words sweeps (__headway_pipeline))'
complete -c headway -l variant -x -a '(headway completion words variants (__headway_pipeline))'
complete -c headway -n '__fish_seen_subcommand_from stages' -a '(headway completion words types (__headway_pipeline))'
complete -c headway -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'
)FISH";

std::vector<std::string> words(const CLI::App& app, const std::string& kind,
                               const std::string& name, CommandLine& line) {
  std::vector<std::string> result;
  if (kind == "types")
    return name.empty() ? line.stages.names()
                        : read_declared_types(name, line.files, sweep_sections()).names();
  if (kind == "verbs" || kind == "options") {
    for (const CLI::App* verb :
         app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); })) {
      if (kind == "verbs") result.push_back(verb->get_name());
      if (kind == "verbs" || verb->get_name() != name) continue;
      for (const CLI::Option* option : verb->get_options()) {
        for (const std::string& long_name : option->get_lnames())
          result.push_back("--" + long_name);
      }
    }
    return result;
  }
  const PipelineFile file = read_file_with_sweeps(name, line.files);
  const PipelineSpec pipeline = load_variation(file, {}, line.stages, line.files);
  if (kind == "variants") return pipeline.variants;
  if (kind == "sweeps") return keys_of(sweeps_of(file));
  return texts_of(pipeline.stages, &StageSpec::name);
}

int completion(const CLI::App& app, const std::vector<std::string>& arguments, CommandLine& line) {
  const std::string& shell = arguments[0];
  if (shell == "words" && arguments.size() >= 2) {
    for (const std::string& word :
         words(app, arguments[1], arguments.size() > 2 ? arguments[2] : "", line))
      say("{}\n", word);
  } else if (shell == "bash") {
    print_exactly(kBash);
  } else if (shell == "zsh") {
    print_exactly(std::string("autoload -U +X bashcompinit && bashcompinit\n") + kBash);
  } else if (shell == "fish") {
    print_exactly(kFish);
  } else {
    throw UsageError("no completion for '{}'{}", printable(shell),
                     did_you_mean(shell, {"bash", "zsh", "fish"}));
  }
  return 0;
}

}  // namespace

void add_completion(CLI::App& app, CommandLine& line) {
  auto arguments = std::make_shared<std::vector<std::string>>();
  CLI::App& verb = add_verb(app, line, "completion", "a completion script for bash, zsh or fish",
                            "  source <(headway completion bash)\n"
                            "  headway completion fish > ~/.config/fish/completions/headway.fish\n",
                            [&app, arguments, &line] { return completion(app, *arguments, line); });
  verb.add_option("SHELL", *arguments, "bash, zsh or fish")->required()->expected(1, 3);
}

}  // namespace headway
