/** True for names and addresses that only reach this machine. `hostname` has the format of `URL.hostname`. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" || /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === "::1" || hostname === "[::1]"
  );
}
