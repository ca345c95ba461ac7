import { Note } from './Note.jsx';

export default function Page() {
  return <Note />;
}
