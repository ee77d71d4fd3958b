#include "lib/base/text.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdio>

namespace headway {
namespace {

// The output of `printf %s WORD` in sh, byte for byte.
std::string said_by_sh(const std::string& word) {
  FILE* pipe = ::popen(("printf %s " + word).c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

TEST_CASE("multi-line text keeps its newlines and tabs, and no other control characters") {
  CHECK(printable_lines("a\tb\nc\n") == "a\tb\nc\n");
  CHECK(printable_lines("\x1b[31mred\x07\r\x7f") == "\uFFFD[31mred\uFFFD\uFFFD\uFFFD");
  CHECK(printable_lines("\xc2\x9b"
                        "2J\xff") == "\uFFFD2J\uFFFD");  // CSI as one character
}

TEST_CASE("a star in a pattern stands for any text", "[base]") {
  CHECK(matches_pattern("loss", "loss"));
  CHECK(matches_pattern("accuracy.8", "accuracy.*"));
  CHECK(matches_pattern("accuracy.", "accuracy.*"));
  CHECK(matches_pattern("a.1.b.2.b", "a.*.b"));
  CHECK(matches_pattern("a.x.b.y.c", "a.*.b.*.c"));
  CHECK(matches_pattern("anything", "*"));
  CHECK_FALSE(matches_pattern("losses", "loss"));
  CHECK_FALSE(matches_pattern("accuracy", "accuracy.*"));
  CHECK_FALSE(matches_pattern("a.b", "a.*.b"));
  CHECK_FALSE(matches_pattern("a.x.b.y", "a.*.b"));
  CHECK_FALSE(matches_pattern("aXa", "a*Xa*a"));
}

TEST_CASE("joining and splitting are inverse to each other", "[base]") {
  CHECK(split("a.b.c", '.') == std::vector<std::string>{"a", "b", "c"});
  CHECK(split("", '.') == std::vector<std::string>{""});
  CHECK(split(".a.", '.') == std::vector<std::string>{"", "a", ""});
  CHECK(join(split(".a..b.", '.'), ".") == ".a..b.");
  CHECK(join({}, ", ") == "");
}

TEST_CASE("trimming removes white space at both ends only", "[base]") {
  CHECK(trim(" \t\r\n a b \n") == "a b");
  CHECK(trim("a") == "a");
  CHECK(trim(" \n\t").empty());
  CHECK(trim("").empty());
}

TEST_CASE("plain words are not quoted for the shell", "[base]") {
  CHECK(quote_for_shell("out/a-b_c.txt") == "out/a-b_c.txt");
  CHECK(quote_for_shell("stage@item=1,2:3%+") == "stage@item=1,2:3%+");
}

TEST_CASE("anything else is quoted for the shell", "[base]") {
  CHECK(quote_for_shell("") == "''");
  CHECK(quote_for_shell("a b") == "'a b'");
  CHECK(quote_for_shell("it's") == "'it'\\''s'");
  CHECK(quote_for_shell("~") == "'~'");
  CHECK(quote_for_shell("naïve") == "'naïve'");
}

TEST_CASE("quoted words come out of a real shell unchanged", "[base]") {
  const std::string words[] = {
      "",      "a b",     "it's",  "''",         "'",    "$HOME `id` $(id)", "a\nb",    "\\",
      "\\'\\", "*?[a-z]", "~",     "-n",         "!x",   "a;b|c&d>e<f",      "# no",    "naïve é",
      "\t",    "{a,b}",   "\"q\"", "trailing\\", "%s%d", "a=b c=d",          "\x01\x7f"};
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(said_by_sh(quote_for_shell(word)) == word);
  }
}

TEST_CASE("UTF-8 is distinguished from other bytes", "[base]") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("plain"));
  CHECK(is_utf8("é € 😀"));
  CHECK_FALSE(is_utf8("\xff"));
  CHECK_FALSE(is_utf8("\x80"));              // a tail without a head
  CHECK_FALSE(is_utf8("\xc3"));              // cut short
  CHECK_FALSE(is_utf8("\xe2\x82"));          // cut short
  CHECK_FALSE(is_utf8("\xc0\xaf"));          // overlong
  CHECK_FALSE(is_utf8("\xe0\x80\xaf"));      // overlong
  CHECK_FALSE(is_utf8("\xf0\x80\x80\xaf"));  // overlong
  CHECK_FALSE(is_utf8("\xed\xa0\x80"));      // a surrogate
  CHECK_FALSE(is_utf8("\xf4\x90\x80\x80"));  // beyond U+10FFFF
}

TEST_CASE("control characters are shown escaped", "[base]") {
  CHECK(printable("plain é 😀") == "plain é 😀");
  CHECK(printable("a\nb") == "a\\nb");
  CHECK(printable("a\tb") == "a b");
  CHECK(printable("\x1b[31mred") == "�[31mred");  // a terminal escape
  CHECK(printable("\xc2\x9b"
                  "31m") == "�31m");  // the same in one character (C1)
  CHECK(printable("a\rb\x7f") == "a�b�");
  CHECK(printable(std::string_view("a\0b", 3)) == "a�b");
  CHECK(printable("\xff\xfe") == "��");  // not UTF-8
}

TEST_CASE("text is truncated to a width in characters, not bytes", "[base]") {
  CHECK(fit("abc", 3) == "abc");
  CHECK(fit("abcd", 3) == "ab…");
  CHECK(fit("éééé", 4) == "éééé");
  CHECK(fit("ééééé", 4) == "ééé…");
  CHECK(fit("😀😀😀", 2) == "😀…");
  CHECK(fit("abc", 1) == "…");
  CHECK(fit("abc", 0) == "");
  CHECK(fit("", 0) == "");
}

TEST_CASE("text that is not UTF-8 is truncated safely", "[base]") {
  const std::string broken = "\xff\x80\xc3(\xe2\x82 abcdef";
  for (std::size_t width = 0; width < 16; ++width)
    CHECK(display_width(fit(broken, width)) <= width);
}

TEST_CASE("padding counts characters", "[base]") {
  CHECK(display_width("é😀a") == 3);
  CHECK(pad_right("é", 3) == "é  ");
  CHECK(pad_right("abcd", 3) == "abcd");
}

TEST_CASE("long text is wrapped between words, with every line indented", "[base]") {
  CHECK(wrapped("one two three four", 12, "  ") == "  one two\n  three four\n");
  CHECK(wrapped("short", 80, "") == "short\n");
  CHECK(wrapped("a-word-longer-than-the-line x", 10, " ") == " a-word-longer-than-the-line\n x\n");
  CHECK(wrapped("éé éé", 5, "") == "éé éé\n");
}

TEST_CASE("tables have aligned columns and no trailing spaces", "[base]") {
  CHECK(format_table({{"name", "x"}, {"é", "longer"}, {"only"}, {"a", "", "third"}}) ==
        "name  x\n"
        "é     longer\n"
        "only\n"
        "a             third\n");
  CHECK(format_table({}) == "");
}

TEST_CASE("the last cell of a table goes on below itself, or below the row if that is too narrow",
          "[base]") {
  const std::vector<std::vector<std::string>> rows{{"train", "stale", "the parameter lr changed"},
                                                   {"plot", "fresh", "took 3.1 s"}};
  CHECK(format_table(rows, 38) ==
        "train  stale  the parameter lr changed\n"
        "plot   fresh  took 3.1 s\n");
  CHECK(format_table({{"a", "fresh"}, {"b", "stale since the code changed"}}, 28) ==
        "a  fresh\n"
        "b  stale since the code\n"
        "   changed\n");
  CHECK(format_table(rows, 30) ==
        "train  stale\n"
        "      the parameter lr changed\n"
        "plot   fresh  took 3.1 s\n");
}

TEST_CASE("a list that is too long is truncated, and says how much is missing", "[base]") {
  CHECK(first_of({"a", "b", "c"}, 3) == "a, b, c");
  CHECK(first_of({"a", "b", "c"}, 2) == "a, b and 1 more");
  CHECK(first_of({"a=1", "b=2", "c=3"}, 2, " ") == "a=1 b=2 and 1 more");
}

TEST_CASE("a name may be restricted to letters, digits and some other characters", "[base]") {
  CHECK(has_only("aZ09_-", "_-"));
  CHECK(has_only("", ""));
  CHECK_FALSE(has_only("a.b", "_-"));
  CHECK_FALSE(has_only("\u00e9", "_-"));
}

}  // namespace
}  // namespace headway
