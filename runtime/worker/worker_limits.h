// Limits of all worker processes, beside those of their sandboxes.
#pragma once

namespace ws {

/// Where memory runs out the system ends a worker, not the server or what else runs here: what a
/// worker loses is done again. It goes to a control group of its own where there is one. And a
/// worker that makes processes without end is stopped before the machine is full of them. Children
/// keep both. In a worker, before anything else.
void be_first_to_go();

}  // namespace ws
