// `headway agent`: what runs on a node of a cluster. Jobs call it; people do not.
#include "lib/cli/engine.h"
#include "lib/cli/verbs.h"
#include "lib/cluster/agent.h"

namespace headway {
namespace {

struct AgentArguments {
  std::string folder;
};

int run_node_agent(const AgentArguments& arguments, CommandLine&) {
  return run_agent(arguments.folder, worker_program());
}

}  // namespace

void add_agent(CLI::App& app, CommandLine& line) {
  auto [verb, arguments] =
      add_verb(app, line, "agent", "runs stages inside a job of a cluster", "", run_node_agent);
  verb.add_option("FOLDER", arguments.folder, "of the allocation")->required();
  verb.group("");  // not listed
}

}  // namespace headway
