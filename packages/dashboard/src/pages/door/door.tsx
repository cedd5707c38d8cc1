import { type ReactNode, useEffect } from "react";
import { Lamp } from "../../components/lamp.tsx";

/** A page in front of the door: the mark, a heading, and one thing to do. */
export function Door({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Foyer`;
  }, [title]);
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-[22rem] flex-col px-4">
      <header className="flex items-start gap-2 text-lg font-semibold">
        <span className="-mt-1 flex flex-col items-center">
          <span className="h-10 w-0.5 bg-ink" />
          <Lamp size={36} />
        </span>
        <p className="pt-10">Foyer</p>
      </header>
      <main className="grid gap-6 pt-10 pb-16">
        <h1 className="text-xl">{title}</h1>
        {children}
      </main>
    </div>
  );
}

/** What went wrong with the whole, above the button; what is wrong with a field stands at the field. */
export function DoorProblem({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="border-s-2 border-wrong ps-3">
      {children}
    </p>
  );
}
