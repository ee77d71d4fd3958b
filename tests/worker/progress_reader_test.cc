#include "lib/worker/progress_reader.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/text.h"

namespace headway::testing {
namespace {

CommandProgress progress_of(std::string_view output) {
  ProgressReader reader;
  reader.add(output);
  return reader.latest();
}

CommandProgress words(std::string text) {
  return {kUnknownFraction, std::move(text)};
}

TEST_CASE("the last line that is not empty is the words, whether it has ended or not") {
  CHECK(progress_of("") == words(""));
  CHECK(progress_of("\n\r\n \t\n") == words(""));
  CHECK(progress_of("one\ntwo\n") == words("two"));
  CHECK(progress_of("one\r\ntwo\r\n\r\n") == words("two"));
  CHECK(progress_of("one\ntwo") == words("two"));
  CHECK(progress_of("one\n\x1b[2K") == words("one"));
  CHECK(progress_of("one\r    \r") == words("one"));
}

TEST_CASE("output may come in any pieces") {
  ProgressReader reader;
  const std::string output = "1\n\x1b[32mcafé\x1b[0m 7% \r\nheadway: progress 0.5 \xE2\x9C\x93\n";
  for (const char c : output) reader.add({&c, 1});
  CHECK(reader.latest() == CommandProgress{0.5, "✓"});
  ProgressReader cut;
  cut.add("\x1b[32mcaf\xC3");
  CHECK(cut.latest() == words("caf"));
  cut.add("\xA9 42");
  CHECK(cut.latest() == words("café 42"));
  cut.add("%");
  CHECK(cut.latest() == CommandProgress{0.42, "café 42%"});
}

TEST_CASE("the bars of common programs are understood") {
  CHECK(progress_of("\r  0%|          | 0/50 [00:00<?, ?it/s]"
                    "\rtrain:  42%|████▏     | 21/50 [00:02<00:02, 10.0it/s, acc=93%]") ==
        CommandProgress{0.42, "train:  42%|████▏     | 21/50 [00:02<00:02, 10.0it/s, acc=93%]"});
  CHECK(progress_of("\r 98%|▉| 49/50\r100%|█| 50/50\n").fraction == 1);
  CHECK(progress_of("Saving to: 'big.iso'\n\n\rbig.iso   0%[    ]   0  --.-KB/s   "
                    "\rbig.iso              42%[=======>            ]  42.00M  3.1MB/s    eta 18s ")
            .fraction == 0.42);
  CHECK(progress_of(" 50K .......... .......... ..........  7% 1.02M 9s").fraction == 0.07);
  CHECK(progress_of("\r 420MiB 0:00:03 [ 140MiB/s] [====>       ] 42% ETA 0:00:04\r").fraction ==
        0.42);
  CHECK(progress_of("\r    440,401,920  42%  140.11MB/s    0:00:04  (xfr#3, to-chk=9/14)") ==
        CommandProgress{0.42, "440,401,920  42%  140.11MB/s    0:00:04  (xfr#3, to-chk=9/14)"});
  CHECK(progress_of("\x1b[32m[ 42%] Building CXX object x.o\x1b[0m\n") ==
        CommandProgress{0.42, "[ 42%] Building CXX object x.o"});
  CHECK(progress_of("done: 4.2%").fraction == 0.042);
}

TEST_CASE("what is no share of a whole is no progress") {
  for (const char* line :
       {"420% of the cpu", "changed by -5%", "1,042% more", "42,5% fertig",
        "https://x.org/a%20b/5%20c", "%d items", "1.2.3%", "x4%", "42 % done", ".%"}) {
    INFO(line);
    CHECK(progress_of(line) == words(line));
  }
  CHECK(progress_of("cpu 180%, done 42%").fraction == 0.42);
}

TEST_CASE("once a line has no percentage, its fraction is unknown again") {
  CHECK(progress_of("downloading 100%\nunpacking\n") == words("unpacking"));
}

TEST_CASE("a command that reports its progress is taken at its word") {
  CHECK(progress_of("headway: progress 0.42 some words\n") == CommandProgress{0.42, "some words"});
  CHECK(progress_of("headway: progress 42% some words\r") == CommandProgress{0.42, "some words"});
  CHECK(progress_of("headway: progress 0\n") == CommandProgress{0, ""});
  CHECK(progress_of("headway: progress 1 \n") == CommandProgress{1, ""});
  CHECK(progress_of("headway: progress 0.5   70% of the files\n") ==
        CommandProgress{0.5, "70% of the files"});
  CHECK(progress_of("\x1b[1m  headway: progress 5e-1 bold\x1b[0m\n") ==
        CommandProgress{0.5, "bold"});
  // Other output does not hide it, nor does a line that may not be complete.
  CHECK(progress_of("a\nheadway: progress 0.2 b\nnoise 99%\nmore") == CommandProgress{0.2, "b"});
  CHECK(progress_of("headway: progress 0.2 b\nheadway: progress 0.2") == CommandProgress{0.2, "b"});
  CHECK(progress_of("headway: progress 0.2 b\nheadway: progress 0.25\n") ==
        CommandProgress{0.25, ""});
}

TEST_CASE("a report with a mistake in it is shown as it is") {
  for (const char* line :
       {"headway: progress", "headway: progress soon", "headway: progress 42",
        "headway: progress 1.01", "headway: progress -0.1", "headway: progress nan",
        "headway: progress inf", "headway: progress 0.4: x", "headway: progress %",
        "headway: progressing 0.4", "see headway: progress 0.4", "Headway: progress 0.4"}) {
    INFO(line);
    CHECK(progress_of(std::string(line) + "\n") == words(line));
  }
}

TEST_CASE("long lines are cut") {
  ProgressReader reader;
  for (int i = 0; i < 1000; ++i) reader.add(std::string(10'000, '.'));
  CHECK(display_width(reader.latest().words) == 200);
  CHECK(reader.latest().words.ends_with("…"));
  reader.add("\nshort");
  CHECK(reader.latest() == words("short"));
  CHECK(display_width(progress_of("headway: progress 0.5 " + std::string(500, 'x') + "\n").words) ==
        200);
  CHECK(progress_of(std::string(300, 'x') + " 42%").fraction == 0.42);
}

TEST_CASE("a line whose end was not read is dropped") {
  ProgressReader reader;
  reader.add("one\nheadway: progress 0.");
  reader.drop_line();
  CHECK(reader.latest() == words("one"));
  reader.add("9\n");
  CHECK(reader.latest() == words("9"));
}

}  // namespace
}  // namespace headway::testing
