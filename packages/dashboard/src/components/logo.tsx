/**
 * The logo: a hanging lamp, lit while something is live. `isHanging` adds the cord above it, for a lamp that hangs from
 * the top edge of its surroundings.
 */
export function Logo({
  isLit = true,
  isHanging = false,
  size = 24,
}: {
  isLit?: boolean;
  isHanging?: boolean;
  /** The width in pixels. A hanging lamp is 5/3 as high as it is wide. */
  size?: number;
}) {
  return (
    <svg
      width={size}
      height={isHanging ? (size * 40) / 24 : size}
      viewBox={isHanging ? "0 0 24 40" : "0 16 24 24"}
      className="shrink-0"
      aria-hidden
    >
      <path d="M12 0v18" stroke="currentColor" strokeWidth="2" />
      <path d="M0 27a12 9.5 0 0 1 24 0z" fill="currentColor" />
      {isLit && <path d="M5 28.5h14l5 11.5H0z" className="fill-lamp" />}
    </svg>
  );
}
