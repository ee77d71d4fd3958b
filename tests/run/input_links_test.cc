// Links to inputs: one inode for each input, and a link of its own for each stage.
#include "lib/run/input_links.h"

#include <catch2/catch_test_macros.hpp>

#include "lib/base/error.h"
#include "tests/support/memory_file_system.h"
#include "tests/support/temporary_folder.h"

namespace headway::testing {

TEST_CASE("stages that read the same input share a link's inode, and each may replace its own",
          "[fan-in]") {
  const TemporaryFolder folder;
  RealFileSystem files;
  InputLinks links(files, folder / "inputs");
  const Path one = folder / "one", two = folder / "two", other = folder / "other";
  links.make("/store/a.csv", one);
  links.make("/store/a.csv", two);
  links.make("/store/b.csv", other);
  CHECK(files.read_link(one) == "/store/a.csv");
  CHECK(files.read_link(other) == "/store/b.csv");
  CHECK(files.info(one)->inode == files.info(two)->inode);
  CHECK(files.list(folder / "inputs").size() == 2);
  files.replace(one, "edited in place");  // as `sed -i` does
  CHECK(files.read_link(two) == "/store/a.csv");
  files.remove(two);
  links.make("/store/a.csv", two);
  CHECK(files.read_link(two) == "/store/a.csv");
}

TEST_CASE("without hard links the links are links all the same", "[fan-in]") {
  MemoryFileSystem files;
  InputLinks links(files, "/work/inputs");
  links.make("/store/a.csv", "/work/one");
  links.make("/store/a.csv", "/work/two");
  CHECK(files.read_link("/work/two") == "/store/a.csv");
  CHECK_THROWS_AS(links.make("/store/a.csv", "/work/two"), Error);
}

}  // namespace headway::testing
