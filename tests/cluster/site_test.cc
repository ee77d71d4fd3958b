// The site file: where it is, what each key means, and every mistake.
#include "lib/cluster/site.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/support/memory_file_system.h"
#include "tests/support/project.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_stages.h"

namespace headway::testing {
namespace {

const Path kProject = "/project";

ClusterSite site_of(const std::string& text) {
  MemoryFileSystem files;
  files.put(kProject / kSiteFile, text);
  return load_site(files, kProject, test_stages());
}
SlurmSite slurm_of(const std::string& settings) {
  return site_of("slurm: {" + settings + "}").slurm;
}

template <class Load>
std::string error_of(const Load& load) {
  try {
    load();
    return "";
  } catch (const PipelineError& error) {
    return error.what();
  }
}

std::string site_mistakes(const std::string& text) {
  return error_of([&] { site_of(text); });
}
// The mistake in one setting, without the file's name: "1:9: slurm: …".
std::string slurm_mistakes(const std::string& settings) {
  const std::string place = (kProject / kSiteFile).string() + ":";
  const std::string text = site_mistakes("slurm: {" + settings + "}");
  return text.starts_with(place) ? text.substr(place.size()) : text;
}

TEST_CASE("without a site file stages run locally") {
  MemoryFileSystem files;
  const ScopedVariable configuration("XDG_CONFIG_HOME", "/nowhere");
  const ClusterSite site = load_site(files, kProject, test_stages());
  CHECK(site.file.empty());
  CHECK(site.on == "local");
  CHECK(site.slurm.options == SlurmOptions{});
  CHECK(site.slurm.jobs == 8);
  CHECK(site.slurm.setup.empty());
  CHECK(site.slurm.allocation == Resources{2, 0, 3600, 0});
  CHECK(site.slurm.idle == 60);
  CHECK(site.slurm.poll == 2);
  CHECK(site.slurm.visible_within == 60);
  CHECK_FALSE(site.slurm.resume_on_other_cpus);
  CHECK(site.slurm.stages.empty());
}

TEST_CASE("a site file without settings means the defaults") {
  for (const char* text : {"", "# nothing\n", "slurm:\n", "slurm: {allocation: , stages: }"}) {
    CAPTURE(text);
    const ClusterSite site = site_of(text);
    CHECK(site.file == kProject / kSiteFile);
    CHECK(site.on == "local");
    CHECK(site.slurm.allocation == Resources{2, 0, 3600, 0});
  }
}

TEST_CASE("a site file says where stages run and what Slurm is asked for") {
  const ClusterSite site = site_of(R"(on: slurm
slurm:
  partition: cpu
  account: lab
  qos: normal
  constraint: avx2
  flags: [--nice=100, -w, "--comment=two words"]
  jobs: 3
  setup: |
    module load gcc
    ulimit -c 0
  allocation: {cpus: 4, memory: 4GiB, time: 90m}
  idle: 30s
  poll: 500ms
  visible_within: 2m
  resume_on_other_cpus: true
)");
  CHECK(site.on == "slurm");
  CHECK(site.slurm.options ==
        SlurmOptions{"cpu", "lab", "normal", "avx2", {"--nice=100", "-w", "--comment=two words"}});
  CHECK(site.slurm.jobs == 3);
  CHECK(site.slurm.setup == "module load gcc\nulimit -c 0\n");
  CHECK(site.slurm.allocation == Resources{4, std::uint64_t{4} << 30, 5400, 0});
  CHECK(site.slurm.idle == 30);
  CHECK(site.slurm.poll == 0.5);
  CHECK(site.slurm.visible_within == 120);
  CHECK(site.slurm.resume_on_other_cpus);
}

TEST_CASE("an allocation keeps the defaults that it does not change") {
  CHECK(slurm_of("allocation: {memory: 1GB}").allocation == Resources{2, 1'000'000'000, 3600, 0});
}

TEST_CASE("a single flag needs no list") {
  CHECK(slurm_of("flags: --exclusive").options.flags == Names{"--exclusive"});
}

TEST_CASE("stages of a type override options and resources, and keep the others") {
  const SlurmSite slurm = slurm_of(
      "partition: cpu, account: lab, flags: [--nice=1], stages: {train-model: {partition: long, "
      "account: '', flags: [], time: 4h, gpus: 0}, shell: {qos: low, cpus: 4, memory: 1GB}}");
  const Resources asked{2, 500, 60, 1};
  CHECK(slurm.options_of("train-model") == SlurmOptions{"long", "", "", "", {}});
  CHECK(slurm.resources_of("train-model", asked) == Resources{2, 500, 14'400, 0});
  CHECK(slurm.options_of("shell") == SlurmOptions{"cpu", "lab", "low", "", {"--nice=1"}});
  CHECK(slurm.resources_of("shell", asked) == Resources{4, 1'000'000'000, 60, 1});
  CHECK(slurm.options_of("make-data") == slurm.options);
  CHECK(slurm.resources_of("make-data", asked) == asked);
}

TEST_CASE("the project's site file counts alone, and the user's where there is none") {
  MemoryFileSystem files;
  const ScopedVariable configuration("XDG_CONFIG_HOME", "/config");
  files.put("/config/headway/headway-site.yaml", "{on: slurm, slurm: {jobs: 3}}");
  const ClusterSite users = load_site(files, kProject, test_stages());
  CHECK(users.file == "/config/headway/headway-site.yaml");
  CHECK(users.on == "slurm");
  files.put(kProject / kSiteFile, "slurm: {idle: 5s}");
  const ClusterSite project = load_site(files, kProject, test_stages());
  CHECK(project.file == kProject / kSiteFile);
  CHECK(project.on == "local");
  CHECK(project.slurm.jobs == 8);
}

TEST_CASE("the user's configuration is in ~/.config, unless XDG_CONFIG_HOME is absolute") {
  MemoryFileSystem files;
  const ScopedVariable home("HOME", "/home/ada");
  files.put("/home/ada/.config/headway/headway-site.yaml", "on: slurm");
  ScopedVariable configuration("XDG_CONFIG_HOME", nullptr);
  for (const char* not_a_folder : {static_cast<const char*>(nullptr), "", "relative"}) {
    configuration.set(not_a_folder);
    CHECK(load_site(files, kProject, test_stages()).on == "slurm");
  }
  configuration.set("/elsewhere");
  CHECK(load_site(files, kProject, test_stages()).on == "local");
}

TEST_CASE("all mistakes of a site file are found at once, each with its place") {
  CHECK(site_mistakes("on: slurn\nslrum: {}\nslurm:\n  partitions: cpu\n  jobs: 0\n") ==
        "/project/headway-site.yaml:1:5: site: 'on' is one of local, slurm, got the text 'slurn'; "
        "did you mean 'slurm'?\n"
        "/project/headway-site.yaml:2:1: site: unknown key 'slrum'; did you mean 'slurm'?\n"
        "/project/headway-site.yaml:4:3: slurm: unknown key 'partitions'; did you mean "
        "'partition'?\n"
        "/project/headway-site.yaml:5:9: slurm: 'jobs' expects an integer between 1 and 10000, got "
        "the integer 0");
}

TEST_CASE("a site file is one map, as YAML") {
  CHECK(site_mistakes("- slurm\n") ==
        "/project/headway-site.yaml:1:1: a site file is a map with 'on' and 'slurm', got a list");
  CHECK(site_mistakes("slurm: 3") ==
        "/project/headway-site.yaml:1:8: site: 'slurm' must be a map, got the integer 3");
  CHECK(site_mistakes("slurm: {").starts_with("/project/headway-site.yaml:1:"));
  CHECK(site_mistakes("on: local\n---\non: slurm\n") ==
        "/project/headway-site.yaml:3:1: a second document in the file; there can be only one");
  CHECK(site_mistakes(std::string("on: \0", 5)) ==
        "/project/headway-site.yaml:1:5: a NUL byte: this is not a text file");
}

TEST_CASE("a site file that is huge, or no file, is refused") {
  CHECK(site_mistakes(std::string(100'000'000, '#')) ==
        "/project/headway-site.yaml: the file is 100.0 MB; at most 8.4 MB are read");
  MemoryFileSystem files;
  files.make_directories(kProject / kSiteFile);
  CHECK(error_of([&] { load_site(files, kProject, test_stages()); }) ==
        "headway: /project/headway-site.yaml: is a folder, not a file");
}

TEST_CASE("a site file that is a link to nowhere is a mistake, not a missing file") {
  RealFileSystem files;
  const TemporaryFolder folder;
  files.make_link("gone.yaml", folder / kSiteFile);
  CHECK(error_of([&] {
          load_site(files, folder.path(), test_stages());
        }).ends_with("headway-site.yaml: no such file"));
}

TEST_CASE("the settings of Slurm have types and ranges") {
  CHECK(slurm_mistakes("partition: 3") ==
        "1:20: slurm: 'partition' expects text, got the integer 3; put it in quotes");
  CHECK(slurm_mistakes("account: ") == "1:9: slurm: 'account' expects text, got nothing");
  CHECK(slurm_mistakes("qos: [a]") == "1:14: slurm: 'qos' expects text, got a list");
  CHECK(slurm_mistakes("constraint: \"a\\nb\"") ==
        "1:21: slurm: 'constraint' expects one line of text");
  CHECK(slurm_mistakes("setup: \"a\\0b\"") == "1:16: slurm: 'setup' has a control character");
  CHECK(slurm_mistakes("jobs: 10001") ==
        "1:15: slurm: 'jobs' expects an integer between 1 and 10000, got the integer 10001");
  CHECK(slurm_mistakes("idle: 0") ==
        "1:15: slurm: 'idle' expects a time such as 30s, 5m or 1h30m, got the integer 0");
  CHECK(slurm_mistakes("poll: soon") ==
        "1:15: slurm: 'poll' expects a time such as 30s, 5m or 1h30m, got the text 'soon'");
  CHECK(slurm_mistakes("visible_within: [1]") ==
        "1:25: slurm: 'visible_within' expects a time such as 30s, 5m or 1h30m, got a list");
  CHECK(slurm_mistakes("resume_on_other_cpus: maybe") ==
        "1:31: slurm: 'resume_on_other_cpus' expects true or false, got the text 'maybe'");
  CHECK(slurm_mistakes("stages: [a]") == "1:17: slurm: 'stages' must be a map, got a list");
}

TEST_CASE("an allocation has cpus, memory and time") {
  CHECK(slurm_mistakes("allocation: 2") ==
        "1:21: slurm: 'allocation' must be a map, got the integer 2");
  CHECK(slurm_mistakes("allocation: {cpus: 0}") ==
        "1:28: slurm: allocation: 'cpus' expects an integer between 1 and 4096, got the integer 0");
  CHECK(slurm_mistakes("allocation: {gpus: 1}") ==
        "1:22: slurm: allocation: unknown key 'gpus'; did you mean 'cpus'?");
}

TEST_CASE("the settings of a type's stages are checked as others are") {
  CHECK(slurm_mistakes("stages: {shell: 3}") ==
        "1:25: slurm: stages of type 'shell': must be a map, got the integer 3");
  CHECK(slurm_mistakes("stages: {shell: {jobs: 3}}") ==
        "1:26: slurm: stages of type 'shell': unknown key 'jobs'");
  CHECK(slurm_mistakes("stages: {shell: {memory: much}}") ==
        "1:34: slurm: stages of type 'shell': 'memory' expects a size such as 512MiB or 2GB, got "
        "the text 'much'");
}

TEST_CASE("a type that is nearly one of Headway's is a slip; others may be declared by pipelines") {
  CHECK(slurm_mistakes("stages: {train_model: {cpus: 2}}") ==
        "1:18: slurm: unknown stage type 'train_model'; did you mean 'train-model'?");
  CHECK(slurm_mistakes("stages: {train.yaml: {cpus: 2}}") ==
        "1:18: slurm: 'train.yaml' is not the name of a stage type; write a type's file as a path "
        "with '/', as "
        "in 'uses'");
  const SlurmSite slurm = slurm_of("stages: {zebra: {cpus: 2}, ./tools/train.yaml: {cpus: 3}}");
  CHECK(slurm.resources_of("zebra", {}).cpus == 2);
  CHECK(slurm.resources_of("./tools/train.yaml", {}).cpus == 3);
}

TEST_CASE("a site names variables of jobs that stages see") {
  CHECK(slurm_of("env: [PYTHONPATH, SCRATCH]").env == Names{"PYTHONPATH", "SCRATCH"});
  CHECK(slurm_of("env: SCRATCH").env == Names{"SCRATCH"});
  CHECK(slurm_mistakes("env: [A B]") ==
        "1:15: slurm: env: 'A B' is not the name of an environment variable");
}

TEST_CASE("an allocation needs time for its agent to stop") {
  CHECK(slurm_of("allocation: {time: 60s}").allocation.time == 60);
  CHECK_THAT(
      slurm_mistakes("allocation: {time: 30s}"),
      Catch::Matchers::ContainsSubstring("slurm: allocation: 'time' must be at least 60s, got "));
}

TEST_CASE("a flag is one word that begins with '-'") {
  const std::string rule = "write each flag as one word that begins with '-', as in --nice=100";
  CHECK(slurm_mistakes("flags: [nice]") == "1:17: slurm: 'flags' has 'nice': " + rule);
  CHECK(slurm_mistakes("flags: [--nice 100]") == "1:17: slurm: 'flags' has '--nice 100': " + rule);
  CHECK(slurm_mistakes("flags: --") == "1:16: slurm: 'flags' has '--': " + rule);
  CHECK(slurm_mistakes("flags: [--nice, 100]") ==
        "1:25: slurm: 'flags' expects text, got the integer 100; put it in quotes");
}

TEST_CASE("a flag that Headway sets is refused, with the key to use instead") {
  CHECK(slurm_mistakes("flags: [--partition=long]") ==
        "1:17: slurm: 'flags' cannot have '--partition=long': use 'partition'");
  CHECK(slurm_mistakes("stages: {shell: {flags: --mem=4G}}") ==
        "1:33: slurm: stages of type 'shell': 'flags' cannot have '--mem=4G': use 'memory' under "
        "'allocation' or 'stages'");
  for (const char* flag : {"--output=x",
                           "-o",
                           "-ox",
                           "--error",
                           "-e",
                           "--job-name=x",
                           "-J",
                           "--time",
                           "-t",
                           "-t10",
                           "-c",
                           "--mem",
                           "--mem-per-cpu=1G",
                           "-p",
                           "-plong",
                           "--part=x",
                           "--array=1",
                           "-a",
                           "--wrap=x",
                           "--parsable",
                           "--chdir",
                           "-D",
                           "--nodes=2",
                           "-N2",
                           "--ntasks",
                           "-n",
                           "--export=ALL",
                           "--cpus-per-task=2",
                           "--account=x",
                           "-A",
                           "--qos=x",
                           "-q",
                           "--constraint=x",
                           "-C"}) {
    CAPTURE(flag);
    CHECK(slurm_mistakes(std::string("flags: ['") + flag + "']").find("cannot have") !=
          std::string::npos);
  }
}

TEST_CASE("flags that only look like those that Headway sets are free") {
  for (const char* flag : {"--time-min=5", "--nodelist=a", "--nice=100", "--error-x", "-w", "-x",
                           "--gres=gpu:1", "--no-requeue", "--ntasks-per-node=1"}) {
    CAPTURE(flag);
    CHECK(slurm_mistakes(std::string("flags: ['") + flag + "']") == "");
  }
}

}  // namespace
}  // namespace headway::testing
