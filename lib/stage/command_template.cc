#include "lib/stage/command_template.h"

#include <algorithm>
#include <functional>
#include <set>

#include "lib/base/text.h"

namespace headway {
namespace {

// Calls `found` with kind and name ("in", "x"; "cpus", "") and inserts what it returns.
std::string replace_placeholders(
    const std::string& text, bool takes_params,
    const std::function<std::string(const std::string&, const std::string&)>& found) {
  static const std::set<std::string> kWithName = {"in", "out", "items"};
  static const std::set<std::string> kAlone = {"partial", "cpus"};
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string::npos;
    const std::string inner = end == std::string::npos ? "" : text.substr(at + 1, end - at - 1);
    const std::size_t dot = inner.find('.');
    const std::string kind = inner.substr(0, dot);
    const bool placeholder = dot == std::string::npos
                                 ? kAlone.contains(inner)
                                 : kWithName.contains(kind) || (takes_params && kind == "with");
    const bool variable = at > 0 && text[at - 1] == '$';  // ${partial} belongs to the shell
    if (placeholder && !variable) {
      result += found(kind, dot == std::string::npos ? "" : inner.substr(dot + 1));
      at = end + 1;
    } else {
      result += text[at++];
    }
  }
  return result;
}

// A command cut into words, roughly as sh does it: quotes disappear, and each of ;|&()<>` is a
// word.
std::vector<std::string> rough_words(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (const char c : command) {
    const std::string_view view(&c, 1);
    if (std::string_view(" \t\r\n\"'").find(c) != std::string_view::npos) {
      end_word();
    } else if (std::string_view(";|&()<>`").find(c) != std::string_view::npos) {
      end_word();
      words.emplace_back(view);
    } else {
      word += c;
    }
  }
  end_word();
  return words;
}

// Whether another command begins after this word.
bool is_separator(const std::string& word) {
  return word.size() == 1 && std::string_view(";|&(`").find(word[0]) != std::string_view::npos;
}

// Whether the word after this one is a script, whatever it is called.
bool takes_script(const std::string& word) {
  static const std::set<std::string> kPrograms = {"sh",   "bash", "dash",    "zsh",   "perl",
                                                  "ruby", "node", "Rscript", "julia", "-f"};
  return kPrograms.contains(word) || word.starts_with("python");
}

// A parameter as words of a command.
std::string words_of(const Json& value) {
  if (value.is_string()) return quote_for_shell(value.get<std::string>());
  if (!value.is_array()) return value.dump();
  return join(texts_of(value, words_of), " ");
}

}  // namespace

void check_command(const Value& run, const CommandNames& names, const std::string& subject,
                   Diagnostics& diagnostics) {
  const std::vector<std::string> outputs = texts_of(names.outputs, &Output::name);
  const std::vector<std::string> no_params;
  const std::vector<std::string>& params = names.params ? *names.params : no_params;
  std::set<std::string> used_outputs;
  std::set<std::string> used_params;
  const auto check = [&](const std::string& kind, const std::string& name) {
    const bool is_output = kind == "out";
    const bool is_param = kind == "with";
    if (is_output) used_outputs.insert(name);
    if (is_param) used_params.insert(name);
    const std::vector<std::string>& known = is_output ? outputs : is_param ? params : names.inputs;
    if (!name.empty() && std::ranges::find(known, name) == known.end())
      diagnostics.add(run.location, "{}: {{{}.{}}} in 'run': no {} '{}'{}", subject, kind,
                      printable(name),
                      is_output  ? "output"
                      : is_param ? "parameter"
                                 : "input",
                      printable(name), did_you_mean(name, known));
    return std::string();
  };
  replace_placeholders(*run.text(), names.params != nullptr, check);
  for (const Output& output : names.outputs) {
    if (!used_outputs.contains(output.name))
      diagnostics.add(output.location, "{}: output '{}' is never written: 'run' has no {{out.{}}}",
                      subject, output.name, output.name);
  }
  for (const std::string& param : params) {
    if (!used_params.contains(param))
      diagnostics.add(run.location, "{}: parameter '{}' is never used: 'run' has no {{with.{}}}",
                      subject, param, param);
  }
}

bool uses_items(const std::string& command, const std::string& input) {
  bool used = false;
  replace_placeholders(command, false, [&](const std::string& kind, const std::string& name) {
    used = used || (kind == "items" && name == input);
    return std::string();
  });
  return used;
}

std::string fill_command(const std::string& command, const StageJob& job, bool takes_params) {
  const auto value_of_placeholder = [&](const std::string& kind, const std::string& name) {
    if (kind == "cpus") return std::to_string(job.resources.cpus);
    if (kind == "partial") return quote_for_shell(job.partial.string());
    if (kind == "with") return words_of(job.params.at(name));
    if (kind == "out") {
      for (const auto& [output, path] : job.outputs) {
        if (output == name) return quote_for_shell(path.string());
      }
    }
    for (const InputPaths& input : job.inputs) {
      if (input.port != name) continue;
      if (kind == "items") return quote_for_shell(input.items);
      return quote_for_shell(std::vector<std::string>(input.paths.begin(), input.paths.end()));
    }
    return std::string();  // an optional input that is not connected
  };
  return replace_placeholders(command, takes_params, value_of_placeholder);
}

std::string fill_params(const std::string& command, const Json& params) {
  return replace_placeholders(command, /*takes_params=*/true,
                              [&](const std::string& kind, const std::string& name) {
                                if (kind == "with")
                                  return params.contains(name) ? words_of(params[name]) : "";
                                return "{" + kind + (name.empty() ? "" : "." + name) + "}";
                              });
}

std::vector<std::string> file_words(const std::string& command, const Value& ignore) {
  const std::vector<std::string> words = rough_words(command);
  std::set<std::string> left_out;
  for (const Value& name : items_of(ignore)) left_out.insert(name.plain());
  bool is_tee = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_program = i == 0 || is_separator(words[i - 1]);
    if (is_program) is_tee = words[i] == "tee";
    if (is_tee || (i > 0 && words[i - 1] == ">")) left_out.insert(words[i]);
  }
  std::vector<std::string> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i].substr(words[i].find('=') + 1);  // of --config=small.json
    if (word.empty()) continue;
    const bool is_candidate =
        word.find_first_of("./") != std::string::npos || (i > 0 && takes_script(words[i - 1]));
    if (is_candidate && !left_out.contains(word) &&
        word.find_first_of("{}$*?") == std::string::npos &&
        std::ranges::find(found, word) == found.end())
      found.push_back(word);
  }
  return found;
}

void check_variables(const Value& names, const std::string& subject, Diagnostics& diagnostics) {
  for (const Value& variable : items_of(names)) {
    const std::string* name = variable.text();
    if (!name || name->empty() || name->find_first_of("= ") != std::string::npos)
      diagnostics.add(variable.location, "{}: {} is not the name of an environment variable",
                      subject, name ? "'" + printable(*name) + "'" : variable.describe());
  }
}

}  // namespace headway
