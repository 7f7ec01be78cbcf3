# SPDX-License-Identifier: GPL-2.0
# make help says what there is.
VERSION := $(shell sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' $(CURDIR)/kmod/main.c)
KVER    ?= $(shell uname -r)
KDIR    ?= /lib/modules/$(KVER)/build
PREFIX  ?= /usr/local
DESTDIR ?=

.PHONY: all module tool install install-lib uninstall uninstall-lib dkms demo test test-matrix \
	test-debug test-gostd test-kunit test-netfuzz test-soak test-unit fuzz coverage check bench \
	clean clean-module help

all: tool module

help:
	@echo 'make              build goprobectl and goprobe.ko for the running kernel'
	@echo 'make install      install both, libgoprobe and the man page (root)'
	@echo 'make dkms         install the module through DKMS, rebuilt for each new kernel (root)'
	@echo 'make uninstall    take all that away again'
	@echo 'make demo         watch a Go service being traced, in a virtual machine'
	@echo 'make test         all tests: unit, KUnit and end to end in virtual machines, style'
	@echo 'make test-matrix  the end-to-end tests on every kernel and Go version'
	@echo 'make test-debug   KUnit, end to end, failing allocations, on a kernel with KASAN and lockdep (two hours)'
	@echo 'make test-soak    two hours of tracing with several sessions: nothing grows, nothing is lost unsaid'
	@echo "make test-gostd   Go's own tests with every function probed, against what they do without"
	@echo 'make fuzz         each fuzzer for FUZZ_SECONDS=60, with sanitizers'
	@echo 'make test-netfuzz netlink messages of all kinds for the module, for NETFUZZ_SECONDS=60'
	@echo 'make coverage     which lines of the module and the tool no test executes (an hour)'
	@echo 'make bench        instructions per hit, beside the floor and other tracers'
	@echo 'make check        style only'
	@echo 'make clean        remove what was built here'
	@echo
	@echo 'KDIR=DIR or KVER=VERSION builds the module for another kernel. PREFIX=$(PREFIX)'

tool:
	@$(MAKE) --no-print-directory -C tool

module:
	@test -d '$(KDIR)' || { echo >&2 "goprobe: there are no headers of kernel $(KVER) in $(KDIR): install linux-headers-$(KVER), or give KDIR="; exit 1; }
	$(MAKE) -C '$(KDIR)' M='$(CURDIR)' modules

install-lib:
	@$(MAKE) --no-print-directory -C tool PREFIX='$(PREFIX)'
	install -D -m 0755 build/tool/libgoprobe.so.0 '$(DESTDIR)$(PREFIX)/lib/libgoprobe.so.0'
	ln -sf libgoprobe.so.0 '$(DESTDIR)$(PREFIX)/lib/libgoprobe.so'
	install -D -m 0644 build/tool/libgoprobe.a '$(DESTDIR)$(PREFIX)/lib/libgoprobe.a'
	install -D -m 0644 build/tool/goprobe.pc '$(DESTDIR)$(PREFIX)/lib/pkgconfig/goprobe.pc'
	install -D -m 0644 tool/libgoprobe.h '$(DESTDIR)$(PREFIX)/include/libgoprobe.h'
	test -n '$(DESTDIR)' || ldconfig

uninstall-lib:
	rm -f '$(DESTDIR)$(PREFIX)/lib/libgoprobe.so.0' '$(DESTDIR)$(PREFIX)/lib/libgoprobe.so' \
	      '$(DESTDIR)$(PREFIX)/lib/libgoprobe.a' \
	      '$(DESTDIR)$(PREFIX)/lib/pkgconfig/goprobe.pc' \
	      '$(DESTDIR)$(PREFIX)/include/libgoprobe.h'

# Compressed modules would need the kernel's own choice; modprobe takes any.
install: tool install-lib
	@test -f goprobe.ko || { echo >&2 'goprobe: build first: make'; exit 1; }
	install -D -m 0644 goprobe.ko '$(DESTDIR)/lib/modules/$(KVER)/updates/goprobe.ko'
	install -D -m 0755 build/tool/goprobectl '$(DESTDIR)$(PREFIX)/sbin/goprobectl'
	install -D -m 0644 docs/goprobectl.8 '$(DESTDIR)$(PREFIX)/share/man/man8/goprobectl.8'
	install -D -m 0644 include/uapi/goprobe.h '$(DESTDIR)$(PREFIX)/include/goprobe.h'
	test -n '$(DESTDIR)' || depmod -a '$(KVER)'

uninstall: uninstall-lib
	rm -f '$(DESTDIR)/lib/modules/$(KVER)/updates/goprobe.ko' \
	      '$(DESTDIR)$(PREFIX)/sbin/goprobectl' \
	      '$(DESTDIR)$(PREFIX)/share/man/man8/goprobectl.8' \
	      '$(DESTDIR)$(PREFIX)/include/goprobe.h'
	test -n '$(DESTDIR)' || depmod -a '$(KVER)'
	@if [ -d '/usr/src/goprobe-$(VERSION)' ] && [ -z '$(DESTDIR)' ]; then \
		dkms remove -m goprobe -v '$(VERSION)' --all; \
		rm -rf '/usr/src/goprobe-$(VERSION)'; fi

dkms:
	install -d '/usr/src/goprobe-$(VERSION)'
	cp -r Kbuild Makefile kmod include '/usr/src/goprobe-$(VERSION)/'
	sed 's/@VERSION@/$(VERSION)/' dkms.conf > '/usr/src/goprobe-$(VERSION)/dkms.conf'
	dkms install -m goprobe -v '$(VERSION)'

demo:
	@tests/demo

test:
	@tests/run-all

test-matrix:
	@tests/matrix

test-debug:
	@tests/debug

test-soak:
	@tests/soak/run

test-gostd:
	@tests/gostd/run

test-unit:
	@$(MAKE) --no-print-directory -C tests/unit

test-kunit:
	@tests/kunit/run

test-netfuzz:
	@tests/setup
	@tests/netfuzz/run --kernel $(or $(NETFUZZ_KERNEL),6.1) --seconds $(or $(NETFUZZ_SECONDS),60) \
		--seed $(or $(NETFUZZ_SEED),1)

fuzz:
	@tests/setup fuzz
	@$(MAKE) --no-print-directory -C tests/fuzz

coverage:
	@tests/coverage/run

check:
	@tests/style

bench:
	@bench/run

# Not kbuild's own clean: it removes every *.mod below, and so the go.mod files.
clean-module:
	rm -f goprobe.ko goprobe.o goprobe.mod goprobe.mod.c goprobe.mod.o \
	      modules.order Module.symvers .goprobe.* .modules.order.cmd \
	      .Module.symvers.cmd .module-common.o .*.cmd
	find kmod \( -name '*.o' -o -name '.*.cmd' -o -name '.*.d' \) -delete

clean: clean-module
	rm -rf build
