// In one file, so that what runs first brings them and nothing is drawn without.
import '../widget/styles/tokens.css';
import '../widget/styles/base.css';
import './styles/page.css';
import '../widget/styles/controls.css';
import '../widget/styles/field.css';
import '../widget/styles/status.css';
import './styles/app.css';
