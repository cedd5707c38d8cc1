import { createContext, type ReactNode, useContext, useEffect } from "react";

/** The title of the page around this one, such as "Settings"; `null` for a page of its own. */
const OuterTitle = createContext<string | null>(null);

/** A page with its heading, description and actions. The heading is also the document's title. */
export function Page({
  title,
  description,
  actions,
  back,
  isWide = false,
  children,
}: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** A `BackLink` to the list that the page belongs to. */
  back?: ReactNode;
  /** For tables and editors that need the full width. */
  isWide?: boolean;
  children: ReactNode;
}) {
  const outer = useContext(OuterTitle);
  useEffect(() => {
    document.title = outer === null ? `${title} · Foyer` : `${title} · ${outer} · Foyer`;
  }, [title, outer]);
  const Heading = outer === null ? "h1" : "h2";
  return (
    <PageFrame isWide={isWide}>
      {back && <p className="mb-2">{back}</p>}
      <header className="mb-6 flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <Heading className={outer === null ? "text-xl" : "text-lg"}>{title}</Heading>
          {description && <p className="mt-1 max-w-[70ch] text-soft">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </PageFrame>
  );
}

/** All pages start at the same position. Pages that are not wide have a narrower column. */
export function PageFrame({ isWide = false, children }: { isWide?: boolean; children: ReactNode }) {
  const content = <div className={isWide ? "" : "max-w-4xl"}>{children}</div>;
  if (useContext(OuterTitle) !== null) return content;
  return <div className="mx-auto w-full max-w-[1400px] px-4 py-6 sm:px-8 sm:py-8">{content}</div>;
}

/** A page with its own heading and tabs, or a list beside the content, that shows one of several nested pages. */
export function TabbedPage({
  title,
  tabs,
  side,
  children,
}: {
  title: string;
  tabs: ReactNode;
  /** Replaces the tabs on wide screens. */
  side?: ReactNode;
  children: ReactNode;
}) {
  return (
    <PageFrame isWide>
      <h1 className="mb-3 text-xl">{title}</h1>
      <div className={side ? "lg:hidden" : ""}>{tabs}</div>
      <div className={side ? "lg:grid lg:grid-cols-[10rem_minmax(0,1fr)] lg:gap-10" : ""}>
        {side && <div className="max-lg:hidden">{side}</div>}
        <div className="min-w-0">
          <OuterTitle value={title}>{children}</OuterTitle>
        </div>
      </div>
    </PageFrame>
  );
}

/** A part of a page with its own heading, separated from the one above by a line. */
export function Section({
  title,
  description,
  actions,
  children,
}: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="grid gap-4 border-t border-line py-6 first-of-type:border-t-0 first-of-type:pt-0">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="text-lg">{title}</h2>
          {description && <p className="mt-1 max-w-[70ch] text-soft">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
