/** The logo: a hanging lamp. It is lit while something is live. */
export function Lamp({ isLit = true, size = 24 }: { isLit?: boolean; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden>
      <path d="M12 0v8" stroke="currentColor" strokeWidth="2" />
      <path d="M3 16a9 9 0 0 1 18 0z" fill="currentColor" />
      {isLit && <path d="M6 18h12l3 6H3z" className="fill-lamp" />}
    </svg>
  );
}
