import { readdirSync, readFileSync } from "node:fs";

/**
 * User and system time of a process, its descendants, and those of them that have ended, in milliseconds. Linux counts
 * in steps of 10.
 */
export function treeCpuMs(pid: number): number {
  const own = readFields(pid);
  if (!own) return 0;
  // User and system time of the process, and of its children that have ended.
  const ticks = own.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return listChildren(pid).reduce((sum, child) => sum + treeCpuMs(child), ticks * 10);
}

/** The ids of a process's children. */
function listChildren(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    // It has just ended.
    return [];
  }
}

/** The fields of /proc/PID/stat after the name, which may contain spaces; null when the process has ended. */
function readFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}
