/** The heading and page of a passage in its document. */
export function PassagePlace({ heading, page }: { heading: string | null; page: number | null }) {
  const place = [heading, page === null ? null : `page ${page}`].filter((part) => part !== null).join(", ");
  return place && <span className="min-w-0 break-words text-soft">{place}</span>;
}
