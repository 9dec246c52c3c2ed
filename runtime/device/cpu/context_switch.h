// The fiber switch: callee-saved registers on the old stack, the new stack's popped. x86-64 only.
#pragma once

extern "C" {

/// Saves the running fiber's stack pointer to *save and goes on at `to`.
void ws_switch_stack(void** save, void* to);

/// The first return address of a fresh fiber: calls ws_fiber_main(index), which never returns.
void ws_fiber_entry();
[[noreturn]] void ws_fiber_main(unsigned long index);
}
