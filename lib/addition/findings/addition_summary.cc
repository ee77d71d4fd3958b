#include "lib/addition/findings/addition_summary.h"

#include "lib/addition/findings/ablation.h"
#include "lib/addition/findings/carries.h"
#include "lib/addition/findings/carry_discussion.h"
#include "lib/addition/findings/learning.h"
#include "lib/addition/findings/pruning.h"
#include "lib/report/phrases.h"

namespace headway {

std::string tell_addition_summary(const Sources& sources) {
  return bullets({learning_headline(sources), carry_accuracy_headline(sources),
                  ablation_headline(sources), pruning_headline(sources),
                  carry_discussion_headline(sources)});
}

}  // namespace headway
