import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { Logo } from "../../components/logo.tsx";

/** The frame of pages that need no session. It shows the logo and a heading above the page's only form or message. */
export function AuthPage({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Foyer`;
  }, [title]);
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-[22rem] flex-col px-4">
      <header className="flex items-start gap-2 text-lg font-semibold">
        <Logo isHanging size={40} />
        <p className="pt-8">Foyer</p>
      </header>
      <main className="grid gap-6 pt-10 pb-16">
        <h1 className="text-xl">{title}</h1>
        {children}
      </main>
    </div>
  );
}

/** An error that does not concern a single field. */
export function AuthProblem({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="border-s-2 border-wrong ps-3">
      {children}
    </p>
  );
}

export function BackToSignIn() {
  return (
    <p className="text-soft">
      <Link to="/sign-in" className="underline underline-offset-2">
        Back to sign in
      </Link>
    </p>
  );
}
