#include "runtime/device/cpu/context_switch.h"

// pop and jmp instead of ret: a return to another stack is always mispredicted.
asm(R"(
.text
.globl ws_switch_stack
.type ws_switch_stack, @function
ws_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
.size ws_switch_stack, .-ws_switch_stack
.globl ws_fiber_entry
.type ws_fiber_entry, @function
ws_fiber_entry:
  movq %rbx, %rdi
  call ws_fiber_main
  ud2
.size ws_fiber_entry, .-ws_fiber_entry
)");
