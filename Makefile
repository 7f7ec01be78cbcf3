# SPDX-License-Identifier: GPL-2.0
# make help says what there is.
VERSION := $(shell sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' $(CURDIR)/kmod/main.c)
KVER    ?= $(shell uname -r)
KDIR    ?= /lib/modules/$(KVER)/build
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DOCDIR  ?= $(PREFIX)/share/doc/goprobe
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
DESTDIR ?=
STRIP   ?= strip
# Where DKMS looks for sources.
DKMS_SOURCE = /usr/src/goprobe-$(VERSION)

.PHONY: all module tool install install-tool install-lib install-module install-dkms-source \
	uninstall uninstall-lib dkms dist deb rpm demo test test-full test-matrix test-kernels test-install test-packages test-container \
	test-debug test-gostd test-kunit test-netfuzz test-soak test-unit fuzz coverage check worst bench evidence \
	clean clean-module help

all: tool module

help:
	@echo 'make              build goprobectl and goprobe.ko for the running kernel'
	@echo 'make install      install-tool and install-module (root)'
	@echo 'make install-tool goprobectl, libgoprobe, the man pages and the documents'
	@echo 'make install-module  the module, for one kernel: KVER'
	@echo 'make dkms         the module through DKMS instead, rebuilt for each new kernel (root)'
	@echo 'make uninstall    remove all that, of all kernels'
	@echo 'make dist         build/goprobe-$(VERSION).tar.xz, of what is committed'
	@echo 'make deb          Debian packages of that, in build/deb'
	@echo 'make rpm          RPM packages of that, in build/rpm'
	@echo 'make demo         watch a Go service being traced, in a virtual machine'
	@echo 'make test         what each change must pass: unit, KUnit, end to end, style (half an hour the first time)'
	@echo "make test CASE='WORDS'  only tests that have these words in their name"
	@echo 'make test-full    make test, then all kernels, Go releases and slow cases (over an hour)'
	@echo 'make test-install installing, packages and DKMS, in a chroot'
	@echo 'make test-packages  Debian and RPM packages: lintian, rpmlint, installing and removing them in chroots'
	@echo 'make test-container  the container image and its loader'
	@echo 'make test-matrix  the end-to-end tests on every kernel and Go version'
	@echo 'make test-kernels the checklist for Go tracers on nine more kernels of Debian'
	@echo 'make test-debug   KUnit, end to end, failing allocations, on a kernel with KASAN and lockdep (two hours)'
	@echo 'make test-soak    two hours of tracing with several sessions: nothing grows, nothing is lost unsaid'
	@echo "make test-gostd   Go's own tests with every function probed, against what they do without"
	@echo 'make fuzz         each fuzzer for FUZZ_SECONDS=60, with sanitizers'
	@echo 'make test-netfuzz netlink messages of all kinds for the module, for NETFUZZ_SECONDS=60'
	@echo 'make coverage     which lines of the module and the tool no test executes (an hour)'
	@echo 'make bench        instructions per hit, beside the floor and other tracers'
	@echo 'make check        style only'
	@echo 'make evidence     docs/evidence.md, from the reports that tests/evidence keeps'
	@echo 'make worst        the longest functions and files, and the facts that stand most often'
	@echo 'make clean        remove what was built here'
	@echo
	@echo 'KVER=VERSION or KDIR=DIR: build, install or register the module for another kernel'
	@echo 'PREFIX=$(PREFIX) LIBDIR=$(LIBDIR) DOCDIR=$(DOCDIR) ZSHDIR=$(ZSHDIR) DESTDIR=$(DESTDIR)'
	@echo 'INSTALL_MOD_STRIP=1 installs the module without debug information'

tool:
	@$(MAKE) --no-print-directory -C tool

headers = [ -d '$(KDIR)' ] || { echo >&2 "goprobe: there are no headers of kernel $(KVER) in $(KDIR): install linux-headers-$(KVER), or give KDIR="; exit 1; }

# The same bytes in any folder. Kbuild's own flags are for the kernel's folder, and those of Kbuild here miss goprobe.mod.c.
MAPS = -fdebug-prefix-map=$(CURDIR)=. -fmacro-prefix-map=$(CURDIR)=.

module:
	@$(headers)
	$(MAKE) -C '$(KDIR)' M='$(CURDIR)' KCFLAGS='$(KCFLAGS) $(MAPS)' modules

# --- installing -------------------------------------------------------------

# What an unprivileged user's PATH may lack: depmod, ldconfig, dkms.
export PATH := $(PATH):/usr/sbin:/sbin

# $(call depmod,KERNEL) of a kernel that is installed here; DESTDIR is for another system, which runs its own.
depmod = if [ -n '$(DESTDIR)' ] || [ ! -e /lib/modules/$(1)/modules.order ]; then :; \
	elif command -v depmod >/dev/null; then depmod -a $(1); \
	else echo >&2 "goprobe: depmod is missing (package kmod): modprobe will not see the change"; fi

ldconfig = [ -n '$(DESTDIR)' ] || ! command -v ldconfig >/dev/null || ldconfig

# Remove the directories that are empty now, with those that held nothing else; but /usr and /usr/local
# have most of them from the system, and zsh has one in /usr/local.
BASE = $(or $(DESTDIR),$(patsubst %/,%,$(dir $(PREFIX))))
DIRS = $(LIBDIR)/pkgconfig $(PREFIX)/share/man/man8 $(PREFIX)/share/doc \
	$(PREFIX)/share/goprobe $(PREFIX)/share/bash-completion/completions $(PREFIX)/share/bash-completion \
	$(PREFIX)/share/fish/vendor_completions.d $(PREFIX)/share/fish \
	$(if $(DESTDIR),$(ZSHDIR),$(if $(wildcard /usr/share/zsh/functions /usr/share/zsh/[0-9]*),,$(ZSHDIR) $(dir $(ZSHDIR))))
ifneq ($(DESTDIR)$(filter-out /usr /usr/local,$(PREFIX)),)
DIRS += $(PREFIX)/bin $(PREFIX)/sbin $(PREFIX)/include
PARENTS := -p
endif
tidy = cd '$(BASE)' && rmdir $(PARENTS) $(patsubst $(BASE)/%,%,$(DIRS:%=$(DESTDIR)%)) 2>/dev/null || :

# Older versions had goprobectl in sbin, which is first in root's PATH; that may be the same directory.
install-tool: install-lib
	install -D -m 0755 build/tool/goprobectl '$(DESTDIR)$(PREFIX)/bin/goprobectl'
	@new='$(DESTDIR)$(PREFIX)/bin/goprobectl' old='$(DESTDIR)$(PREFIX)/sbin/goprobectl'; \
	[ ! -e "$$old" ] || [ "$$old" -ef "$$new" ] || ln -sf ../bin/goprobectl "$$old"
	for f in docs/man/*.8; do \
		sed 's,/usr/local/share/doc/goprobe,$(DOCDIR),; 2s/ goprobe / "goprobe $(VERSION)" /' "$$f" | \
			install -D -m 0644 /dev/stdin '$(DESTDIR)$(PREFIX)/share/man/man8'/"$${f##*/}" || exit; done
	for f in README.md CHANGELOG.md docs/*.md docs/design/*.md docs/netlink/goprobe.yaml; do \
		install -D -m 0644 "$$f" '$(DESTDIR)$(DOCDIR)'/"$$f" || exit; done

	install -D -m 0644 -t '$(DESTDIR)$(PREFIX)/share/goprobe/recipes' packaging/recipes/*.recipe
	cd packaging/completion && \
	install -D -m 0644 goprobectl.bash '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/goprobectl' && \
	install -D -m 0644 -t '$(DESTDIR)$(ZSHDIR)' _goprobectl && \
	install -D -m 0644 -t '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d' goprobectl.fish

install-lib: tool
	install -D -m 0755 build/tool/libgoprobe.so.0 '$(DESTDIR)$(LIBDIR)/libgoprobe.so.0'
	ln -sf libgoprobe.so.0 '$(DESTDIR)$(LIBDIR)/libgoprobe.so'
	install -D -m 0644 build/tool/libgoprobe.a '$(DESTDIR)$(LIBDIR)/libgoprobe.a'
	install -D -m 0644 build/tool/goprobe.pc '$(DESTDIR)$(LIBDIR)/pkgconfig/goprobe.pc'
	install -D -m 0644 tool/libgoprobe/libgoprobe.h '$(DESTDIR)$(PREFIX)/include/libgoprobe.h'
	for f in goprobe.h goprobe_prog.h; do \
		install -D -m 0644 "include/uapi/$$f" '$(DESTDIR)$(PREFIX)/include'/"$$f" || exit; done
	@$(ldconfig)

# Where two copies are, modprobe takes the one that nobody updates. Compressed modules would need the
# kernel's own choice; modprobe takes any.
install-module:
	@test -f goprobe.ko || { echo >&2 'goprobe: there is no goprobe.ko: build it first, with make module'; exit 1; }
	@built=$$(LC_ALL=C grep -ao 'vermagic=[^ ]\+' goprobe.ko | sed -n '1s/.*=//p'); \
	[ "$$built" = '$(KVER)' ] || { echo >&2 "goprobe: goprobe.ko is built for kernel $$built, not for $(KVER):" \
		"build it again, with make module KVER=$(KVER), or install it with KVER=$$built"; exit 1; }
	@other=$$(find '$(DESTDIR)/lib/modules/$(KVER)' -name 'goprobe.ko*' \
		! -path '*/updates/goprobe.ko' 2>/dev/null); \
	[ -z "$$other" ] || { echo >&2 "goprobe: there is another copy of the module, and modprobe takes one only:" $$other; \
		echo >&2 'goprobe: if DKMS builds it, make install-tool installs the rest; make uninstall removes both'; exit 1; }
	install -D -m 0644 goprobe.ko '$(DESTDIR)/lib/modules/$(KVER)/updates/goprobe.ko'
ifneq ($(filter-out 0,$(INSTALL_MOD_STRIP)),)
	$(STRIP) $(patsubst 1,--strip-debug,$(INSTALL_MOD_STRIP)) '$(DESTDIR)/lib/modules/$(KVER)/updates/goprobe.ko'
endif
	@$(call depmod,'$(KVER)')

# With "make install dkms" the module is DKMS's.
install: install-tool $(if $(filter dkms,$(MAKECMDGOALS)),,install-module)

# What DKMS builds the module from, no objects.
install-dkms-source:
	rm -rf '$(DESTDIR)$(DKMS_SOURCE)'
	install -d '$(DESTDIR)$(DKMS_SOURCE)'
	cp --parents -t '$(DESTDIR)$(DKMS_SOURCE)' Makefile Kbuild dkms.conf COPYING \
		$$(find kmod include -name '*.[chS]' -o -name Kbuild)

# What is registered under this version may have been built from other source.
dkms:
	@test -z '$(DESTDIR)' || { echo >&2 'goprobe: make dkms is for this system: leave DESTDIR out, or make install-dkms-source'; exit 1; }
	@command -v dkms >/dev/null || { echo >&2 'goprobe: dkms is missing: install the package dkms'; exit 1; }
	@$(headers)
	@for copy in /lib/modules/*/updates/goprobe.ko*; do \
		[ -e "$$copy" ] || continue; \
		echo "goprobe: removing $$copy, in whose place DKMS builds one"; \
		rm -f "$$copy"; kernel=$${copy#/lib/modules/}; kernel=$${kernel%%/*}; \
		$(call depmod,"$$kernel"); \
	done
	@dkms remove -m goprobe -v '$(VERSION)' -k '$(KVER)' >/dev/null 2>&1 || :
	@$(MAKE) --no-print-directory install-dkms-source
	dkms install --force -m goprobe -v '$(VERSION)' -k '$(KVER)' --kernelsourcedir '$(KDIR)'

uninstall: uninstall-lib
	rm -f '$(DESTDIR)$(PREFIX)/bin/goprobectl' '$(DESTDIR)$(PREFIX)/sbin/goprobectl' '$(DESTDIR)$(PREFIX)/share/man/man8'/goprobectl.8 \
	      '$(DESTDIR)$(PREFIX)/share/man/man8'/goprobectl-*.8 \
	      '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/goprobectl' '$(DESTDIR)$(ZSHDIR)/_goprobectl' \
	      '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/goprobectl.fish'
	rm -rf '$(DESTDIR)$(DOCDIR)' '$(DESTDIR)$(PREFIX)/share/goprobe/recipes'
	@for source in '$(DESTDIR)'/usr/src/goprobe-*; do \
		[ -e "$$source/dkms.conf" ] || continue; \
		echo "removing $$source and what DKMS has built from it"; \
		[ -n '$(DESTDIR)' ] || ! command -v dkms >/dev/null || \
			dkms remove -m goprobe -v "$${source##*/goprobe-}" --all || :; \
		rm -rf "$$source"; \
	done
	@[ -n '$(DESTDIR)' ] || rm -rf /var/lib/dkms/goprobe
	@for dir in '$(DESTDIR)'/lib/modules/*; do \
		found=$$(find "$$dir/updates" "$$dir/extra" -name 'goprobe.ko*' 2>/dev/null); \
		[ -z "$$found" ] || { echo "removing" $$found; rm -f $$found; $(call depmod,"$${dir##*/}"); }; \
	done
	@cd '$(DESTDIR)/' && rmdir $(if $(DESTDIR),-p) lib/modules/*/updates/dkms lib/modules/*/updates $(if $(DESTDIR),usr/src) \
		2>/dev/null || :
	@$(tidy)

uninstall-lib:
	rm -f '$(DESTDIR)$(LIBDIR)/libgoprobe.so.0' '$(DESTDIR)$(LIBDIR)/libgoprobe.so' \
	      '$(DESTDIR)$(LIBDIR)/libgoprobe.a' \
	      '$(DESTDIR)$(LIBDIR)/pkgconfig/goprobe.pc' \
	      '$(DESTDIR)$(PREFIX)/include/libgoprobe.h' '$(DESTDIR)$(PREFIX)/include/goprobe.h' \
	      '$(DESTDIR)$(PREFIX)/include/goprobe_prog.h'
	@$(ldconfig)
	@$(tidy)

# --- releases ---------------------------------------------------------------

COMMIT ?= HEAD
DIST = build/goprobe-$(VERSION).tar.xz

# The same commit makes the same bytes.
dist:
	@mkdir -p build
	git -c tar.tar.xz.command='xz -9 -T1' archive --prefix='goprobe-$(VERSION)/' -o '$(DIST)' '$(COMMIT)'

deb: dist
	rm -rf build/deb && mkdir build/deb && tar -xf '$(DIST)' -C build/deb
	cd 'build/deb/goprobe-$(VERSION)' && dpkg-buildpackage -us -uc -b

# Without an RPM database nothing says that the build's requirements are installed.
rpm: dist
	rm -rf build/rpm
	rpmbuild -bb $(if $(wildcard /var/lib/rpm/*),,--nodeps) --define '_topdir $(CURDIR)/build/rpm' \
		--define 'source_date_epoch_from_changelog 1' --define 'use_source_date_epoch_as_buildtime 1' \
		--define 'clamp_mtime_to_source_date_epoch 1' --define '_buildhost reproducible' \
		--define '_sourcedir $(CURDIR)/build' packaging/goprobe.spec

demo:
	@tests/demo

test:
	@$(if $(CASE),tests/case '$(CASE)',tests/run-all gate)

test-full:
	@tests/run-all gate rest

worst:
	@tests/worst

test-matrix:
	@tests/matrix

test-kernels:
	@tests/matrix others

test-debug:
	@tests/debug

test-soak:
	@tests/soak/run

test-gostd:
	@tests/gostd/run

test-install:
	@tests/install

test-packages:
	@tests/packages

test-container:
	@tests/container

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

check: tool
	@tests/style

bench:
	@bench/run

evidence:
	@tests/evidence --write

# Not kbuild's own clean: it removes every *.mod below, and so the go.mod files.
clean-module:
	rm -f goprobe.ko goprobe.o goprobe.mod goprobe.mod.c goprobe.mod.o \
	      modules.order Module.symvers .goprobe.* .modules.order.cmd \
	      .Module.symvers.cmd .module-common.o .*.cmd
	find kmod \( -name '*.o' -o -name '.*.cmd' -o -name '.*.d' \) -delete

clean: clean-module
	rm -rf build
