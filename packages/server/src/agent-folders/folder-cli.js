#!/usr/bin/env node
import { runFolderCommandLine } from "./folder-commands.ts";

await runFolderCommandLine(process.argv.slice(2));
