/** True for the names and addresses that reach this machine only. `hostname` as URL has it. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" || /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === "::1" || hostname === "[::1]"
  );
}
