/** Shown below the embed code while its address works only on this machine. */
export function LoopbackWarning() {
  if (!/^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname)) return null;
  return (
    <p role="status" className="max-w-[70ch] border-s-2 border-warning ps-3">
      Only this computer can open this address. Set <code>BASE_URL</code> before you add the line to a public site.
    </p>
  );
}
