import { createContext, type ReactNode, useContext, useEffect } from "react";

/** The name of the area that a page belongs to, such as "Settings"; `null` for a page of its own. */
const Area = createContext<string | null>(null);

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
  /** For lists, tables and editors. The fields of other pages would be too wide for their content. */
  isWide?: boolean;
  children: ReactNode;
}) {
  const area = useContext(Area);
  useEffect(() => {
    document.title = area === null ? `${title} · Foyer` : `${title} · ${area} · Foyer`;
  }, [title, area]);
  return (
    <PageFrame>
      {back && <p className="mb-2">{back}</p>}
      <header className="mb-6 flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="text-xl">{title}</h1>
          {description && <p className="mt-1 max-w-[70ch] text-soft">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      <div className={isWide ? "" : "max-w-[720px]"}>{children}</div>
    </PageFrame>
  );
}

/** The margins and the maximum width of a page, so that the headers of all pages end at the same edges. */
export function PageFrame({ children }: { children: ReactNode }) {
  if (useContext(Area) !== null) return children;
  return <div className="mx-auto w-full max-w-[1264px] px-4 py-6 sm:px-8 sm:py-8">{children}</div>;
}

/** The pages of an area, beside their list on wide screens and below tabs on others. */
export function AreaFrame({
  name,
  tabs,
  side,
  children,
}: {
  name: string;
  tabs: ReactNode;
  side: ReactNode;
  children: ReactNode;
}) {
  return (
    <PageFrame>
      <div className="lg:hidden">{tabs}</div>
      <div className="lg:grid lg:grid-cols-[10rem_minmax(0,1fr)] lg:gap-10">
        <div className="max-lg:hidden">{side}</div>
        <div className="min-w-0">
          <Area value={name}>{children}</Area>
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
