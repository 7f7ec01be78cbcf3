// SPDX-License-Identifier: GPL-2.0

// values is a program with values of the standard library's types, and of others that goprobe shows in a form of their own.
package main

func main() {
	addresses()
	numbers()
	times()
	syncs()
	maps()
	contexts()
	errs()
	messages()
	secrets()
	generics()
	texts()
	slogs()
	joined()
	weaks()
}
