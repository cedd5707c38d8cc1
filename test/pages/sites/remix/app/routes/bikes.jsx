import { Link, useLoaderData } from "@remix-run/react";

export const loader = () => ({ gears: 8 });

export default function Bikes() {
  const { gears } = useLoaderData();
  return (
    <main>
      <h1>Bikes</h1>
      <p><Link id="home" to="/">Home</Link></p>
      <p><label>Name <input id="name" /></label></p>
      {Array.from({ length: 60 }, (_, index) => <p key={index}>Bike {index + 1} has {gears} gears.</p>)}
    </main>
  );
}
