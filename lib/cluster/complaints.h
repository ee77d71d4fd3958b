// Warnings that would come again and again: the same text at most once a minute.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "lib/cluster/clock.h"

namespace headway {

class Complaints {
 public:
  using Warn = std::function<void(const std::string&)>;
  explicit Complaints(Warn warn) : warn_(std::move(warn)) {}

  void add(const std::string& text) {
    const auto said = said_.find(text);
    if (said != said_.end() && seconds_since(said->second) < 60) return;
    said_[text] = SteadyClock::now();
    warn_(text);
  }

 private:
  const Warn warn_;
  std::map<std::string, SteadyClock::time_point> said_;
};

}  // namespace headway
