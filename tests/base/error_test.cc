// Messages of exceptions from any source, as people read them.
#include "lib/base/error.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <functional>
#include <new>
#include <system_error>

#include "lib/base/json.h"

namespace headway::testing {
namespace {

std::string described(const std::function<void()>& throws) {
  try {
    throws();
  } catch (const std::exception& exception) {
    return describe_exception(exception);
  }
  return "";
}

TEST_CASE("our own errors are described by their own message") {
  CHECK(described([] { throw Error("cannot read x: no such file"); }) ==
        "cannot read x: no such file");
}

TEST_CASE("library exceptions become sentences") {
  CHECK(described([] { throw std::bad_alloc(); }) == "out of memory");
  CHECK(described([] { throw std::bad_array_new_length(); }) == "out of memory");
  CHECK(described([] { (void)std::filesystem::file_size("/nowhere/x"); }) ==
        "cannot use /nowhere/x: no such file or directory");
  CHECK(described([] {
          throw std::filesystem::filesystem_error("x", std::make_error_code(std::errc::io_error));
        }) == "cannot use the current folder: input/output error");
  CHECK(described([] {
          throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
        }) == "the system refused: resource temporarily unavailable");
  CHECK(described([] { (void)Json(5).get<std::string>(); }) ==
        "JSON that is not as expected: type must be string, but is number");
  CHECK(described([] {
          std::string().at(1);
        }).starts_with("an error inside Headway that should not happen: "));
}

}  // namespace
}  // namespace headway::testing
