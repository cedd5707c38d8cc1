import type { Document } from "@foyer/contract";

/** Explains in a dialog that deletes documents that pages of a site will be added again, and how to exclude them. */
export function ReturningPages({ documents }: { documents: readonly Pick<Document, "sourceId">[] }) {
  const pages = documents.filter(({ sourceId }) => sourceId !== null).length;
  if (pages === 0) return null;
  return <p className="mt-2">{describeReturningPages(pages, documents.length)}</p>;
}

export function describeReturningPages(pages: number, documents: number): string {
  const kept = "exclude its path in the site's settings, or disable the document instead.";
  if (documents === 1)
    return `This page belongs to a site and is added again by its next sync. To prevent that, ${kept}`;
  const which = pages === 1 ? "1 page belongs to a site and is" : `${pages} pages belong to a site and are`;
  const all = "exclude the paths in the site's settings, or disable the documents instead.";
  return `${which} added again by the next sync. To prevent that, ${all}`;
}
