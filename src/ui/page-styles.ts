// In one file, so that what runs first brings them and nothing is drawn without.
import './styles/tokens.css';
import './styles/page.css';
import './styles/controls.css';
import './styles/field.css';
import './styles/status.css';
import './styles/options.css';
import './styles/waiting.css';
import './styles/diagnostics.css';
