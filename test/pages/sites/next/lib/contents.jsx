import Link from "next/link";

const paragraphs = Array.from({ length: 60 }, (_, index) => <p key={index}>Bike {index + 1} has eight gears.</p>);

export const Home = ({ next }) => (
  <main>
    <h1>Harbour</h1>
    <p><Link id="next" href={next}>Bikes</Link></p>
    {paragraphs}
  </main>
);

export const Bikes = ({ home }) => (
  <main>
    <h1>Bikes</h1>
    <p><Link id="home" href={home}>Home</Link></p>
    <p><label>Name <input id="name" /></label></p>
    {paragraphs}
  </main>
);
