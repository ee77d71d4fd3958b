// The script of a report's page. It is in the head, so that the theme is set before the first paint;
// the rest waits for the page. Text from artifacts is only ever set as text. Each part does nothing on
// a page without its elements.
(function () {
  'use strict';

  const root = document.documentElement;
  root.classList.add('js');

  // An element with attributes and children; strings become text nodes.
  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== false) made.setAttribute(name, value === true ? '' : value);
    }
    made.append(...children);
    return made;
  }

  function button(text, attributes, onClick) {
    const made = element('button', { type: 'button', ...attributes }, text);
    made.addEventListener('click', onClick);
    return made;
  }

  // --- Theme ---------------------------------------------------------------------------------

  const themeKey = 'headway-theme';
  const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');

  // Storage may be forbidden for files on disk; then the choice lasts as long as the page.
  function rememberedTheme() {
    try {
      return window.localStorage.getItem(themeKey);
    } catch (error) {
      return null;
    }
  }

  function rememberTheme(theme) {
    try {
      window.localStorage.setItem(themeKey, theme);
    } catch (error) {
      // Nothing to do: see above.
    }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === 'dark' : prefersDark.matches;
  }

  function applyRememberedTheme() {
    const theme = rememberedTheme();
    if (!root.dataset.theme && (theme === 'dark' || theme === 'light')) root.dataset.theme = theme;
  }

  function setUpTheme() {
    const toggle = document.querySelector('button.theme');
    if (!toggle) return;
    const name = () => {
      const label = isDark() ? 'Use light colours' : 'Use dark colours';
      toggle.setAttribute('aria-label', label);
      toggle.title = label;
    };
    toggle.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      rememberTheme(root.dataset.theme);
      name();
    });
    prefersDark.addEventListener('change', name);
    name();
    toggle.hidden = false;
  }

  // --- Contents ------------------------------------------------------------------------------

  // The same width as in the style sheet.
  const isWide = window.matchMedia('(min-width: 64rem)');

  function setUpContents() {
    const contents = document.querySelector('.contents details');
    if (!contents) return;
    const fold = () => { contents.open = isWide.matches; };
    fold();
    isWide.addEventListener('change', fold);
    contents.addEventListener('click', (event) => {
      if (event.target.closest('a') && !isWide.matches) contents.open = false;
    });
    markCurrentHeading(Array.from(contents.querySelectorAll('a')));
  }

  // The reader is at the last heading above the upper part of the window.
  function markCurrentHeading(links) {
    const places = links
      .map((link) => ({ link, heading: document.getElementById(link.hash.slice(1)) }))
      .filter((place) => place.heading);
    let waiting = false;
    const mark = () => {
      waiting = false;
      const passed = places.filter(
        (place) => place.heading.getBoundingClientRect().top < window.innerHeight * 0.3);
      const current = (passed.pop() || places[0] || {}).link;
      for (const { link } of places) {
        if (link === current) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
    };
    const soon = () => {
      if (waiting || !isWide.matches) return;
      waiting = true;
      window.requestAnimationFrame(mark);
    };
    window.addEventListener('scroll', soon, { passive: true });
    soon();
  }

  // A link to something folded unfolds it.
  function setUpLinksIntoFolds() {
    const open = () => {
      let id = '';
      try {
        id = decodeURIComponent(window.location.hash.slice(1));
      } catch (error) {
        return;  // no name at all
      }
      const target = id && document.getElementById(id);
      if (!target) return;
      for (let fold = target.closest('details'); fold; fold = fold.parentElement.closest('details')) {
        fold.open = true;
      }
    };
    window.addEventListener('hashchange', open);
    open();
  }

  // --- Tables --------------------------------------------------------------------------------

  const numberPattern = '[-+\u2212]?(?:\\d{1,3}(?:,\\d{3})+|\\d+)?(?:\\.\\d+)?(?:e[-+]?\\d+)?';
  // 12, 810,000, 99.5 %, 0.99 ± 0.01, 0.5 (0.4 to 0.6)
  const numberCell = new RegExp(
    `^(?=[-+\u2212]?[\\d.])(${numberPattern})\\s*%?(?:\\s*±.*)?(?:\\s*[(\\[].*)?$`, 'i');
  const emptyCell = /^(?:|-|–|—|nan|n\/a|not measured)$/i;

  // The sort key of a cell: null if it is empty, a number if it is one, else its text. Times and sizes
  // with units have it in data-sort.
  function sortValue(cell) {
    const text = (cell.dataset.sort || cell.textContent).trim();
    if (emptyCell.test(text)) return null;
    const match = numberCell.exec(text);
    if (!match) return text;
    const number = Number(match[1].replace(/,/g, '').replace('\u2212', '-'));
    return Number.isNaN(number) ? text : number;
  }

  const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

  // Numbers before texts; empty cells are last in both directions.
  function compareValues(a, b, direction) {
    if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
    if (typeof a !== typeof b) return direction * (typeof a === 'number' ? -1 : 1);
    return direction * (typeof a === 'number' ? a - b : collator.compare(a, b));
  }

  class SortableTable {
    constructor(table) {
      this.table = table;
      this.body = table.tBodies[0];
      this.original = Array.from(this.body.rows);
      this.headers = Array.from(table.tHead.rows[0].cells);
      this.shown = Number(table.dataset.rows) || Infinity;
      this.isFolded = this.shown < this.original.length;
      this.headers.forEach((header, column) => this.addSortButton(header, column));
      if (this.isFolded) this.addFoldButton();
      this.fold(this.original);
    }

    values(column) {
      return this.original.map((row) => (row.cells[column] ? sortValue(row.cells[column]) : null));
    }

    addSortButton(header, column) {
      const sort = button('', { class: 'sort' }, () => this.sortBy(header, column));
      // A span keeps words, code and formulas of a heading together, as one part of the button.
      sort.append(element('span', {}, ...header.childNodes));
      header.append(sort);
      const known = this.values(column).filter((value) => value !== null);
      if (known.length && known.every((value) => typeof value === 'number')) {
        header.classList.add('number');
        for (const row of this.original) row.cells[column]?.classList.add('number');
      }
    }

    sortBy(header, column) {
      const next = { ascending: 'descending', descending: 'none' };
      const order = next[header.getAttribute('aria-sort')] || 'ascending';
      for (const other of this.headers) other.removeAttribute('aria-sort');
      let rows = this.original;
      if (order !== 'none') {
        header.setAttribute('aria-sort', order);
        const values = this.values(column);
        const direction = order === 'ascending' ? 1 : -1;
        rows = values
          .map((value, index) => ({ value, index }))
          .sort((a, b) => compareValues(a.value, b.value, direction) || a.index - b.index)
          .map(({ index }) => this.original[index]);
      }
      this.body.append(...rows);
      this.fold(rows);
    }

    fold(rows) {
      rows.forEach((row, i) => row.classList.toggle('folded', this.isFolded && i >= this.shown));
    }

    addFoldButton() {
      const all = `Show all ${this.original.length} rows`;
      const toggle = button(all, { class: 'show-rows', 'aria-expanded': 'false' }, () => {
        this.isFolded = !this.isFolded;
        toggle.textContent = this.isFolded ? all : `Show only ${this.shown} rows`;
        toggle.setAttribute('aria-expanded', String(!this.isFolded));
        this.fold(Array.from(this.body.rows));
      });
      (this.table.closest('.scroll') || this.table).after(toggle);
    }
  }

  function setUpTables() {
    for (const table of document.querySelectorAll('main table')) {
      wrapForScrolling(table);
      const canSort = table.tHead && table.tHead.rows.length === 1 && table.tBodies.length === 1;
      if (canSort && table.tBodies[0].rows.length > 2) new SortableTable(table);
    }
    setUpScrolling();
  }

  // Tables from Markdown come without a box of their own.
  function wrapForScrolling(table) {
    if (table.closest('.scroll')) return;
    const box = element('div', { class: 'scroll' });
    table.replaceWith(box);
    box.append(table);
  }

  // Only a box that scrolls is in the order of the Tab key.
  function setUpScrolling() {
    const boxes = document.querySelectorAll('.scroll, .picture, main pre');
    const check = () => {
      for (const box of boxes) {
        if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
        else box.removeAttribute('tabindex');
      }
    };
    window.addEventListener('resize', check);
    check();
  }

  // --- Zoom ----------------------------------------------------------------------------------

  const zoomSteps = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 6, 8];

  class ZoomDialog {
    constructor() {
      this.stage = element('div', { class: 'zoom-stage', tabindex: '0', 'aria-label': 'Picture' });
      this.level = element('span', { class: 'zoom-level', role: 'status' });
      this.dialog = element('dialog', { class: 'zoom', 'aria-label': 'Figure, enlarged' },
        element('div', { class: 'zoom-bar' },
          button('\u2212', { 'aria-label': 'Zoom out' }, () => this.step(-1)),
          this.level,
          button('+', { 'aria-label': 'Zoom in' }, () => this.step(1)),
          button('Fit', {}, () => this.zoomTo(1)),
          button('Close', { class: 'close' }, () => this.dialog.close())),
        this.stage);
      this.dialog.addEventListener('close', () => this.giveBack());
      this.dialog.addEventListener('keydown', (event) => this.onKey(event));
      this.stage.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
      makeDraggable(this.stage);
      document.body.append(this.dialog);
    }

    // The picture itself moves here: a copy would take its memory twice.
    open(image, opener) {
      this.image = image;
      this.opener = opener;
      this.gap = element('div', { class: 'gap' });
      this.gap.style.height = `${image.getBoundingClientRect().height}px`;
      image.replaceWith(this.gap);
      this.stage.append(image);
      this.dialog.showModal();
      this.stage.focus();
      this.zoomTo(1);
    }

    giveBack() {
      this.image.style.removeProperty('width');
      this.gap.replaceWith(this.image);
      this.opener.focus();
    }

    // The largest width at which the whole picture is visible.
    fittingWidth() {
      const { naturalWidth, naturalHeight } = this.image;
      const ratio = naturalHeight ? naturalWidth / naturalHeight : 1;
      const style = window.getComputedStyle(this.stage);
      const width = this.stage.clientWidth - 2 * parseFloat(style.paddingLeft);
      const height = this.stage.clientHeight - 2 * parseFloat(style.paddingTop);
      return Math.min(width, height * ratio);
    }

    // Keeps the middle of the view.
    zoomTo(zoom) {
      const stage = this.stage;
      const middle = (at, size, all) => (all > 0 ? (at + size / 2) / all : 0.5);
      const x = middle(stage.scrollLeft, stage.clientWidth, stage.scrollWidth);
      const y = middle(stage.scrollTop, stage.clientHeight, stage.scrollHeight);
      this.zoom = zoom;
      this.image.style.width = `${this.fittingWidth() * zoom}px`;
      stage.scrollLeft = x * stage.scrollWidth - stage.clientWidth / 2;
      stage.scrollTop = y * stage.scrollHeight - stage.clientHeight / 2;
      this.level.textContent = `${Math.round(zoom * 100)} %`;
    }

    step(direction) {
      const further = zoomSteps.filter((step) => (step - this.zoom) * direction > 0.001);
      if (further.length) this.zoomTo(direction > 0 ? further[0] : further[further.length - 1]);
    }

    onKey(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '+' || event.key === '=') this.step(1);
      else if (event.key === '-') this.step(-1);
      else if (event.key === '0') this.zoomTo(1);
      else return;
      event.preventDefault();
    }

    onWheel(event) {
      if (!event.ctrlKey) return;  // scrolls, as everywhere
      event.preventDefault();
      this.step(event.deltaY < 0 ? 1 : -1);
    }
  }

  // A mouse drags the picture; fingers scroll anyway.
  function makeDraggable(stage) {
    let from = null;
    stage.addEventListener('pointerdown', (event) => {
      if (event.pointerType !== 'mouse' || event.button !== 0) return;
      from = { x: event.clientX + stage.scrollLeft, y: event.clientY + stage.scrollTop };
      stage.setPointerCapture(event.pointerId);
      stage.classList.add('dragging');
    });
    stage.addEventListener('pointermove', (event) => {
      if (!from) return;
      stage.scrollLeft = from.x - event.clientX;
      stage.scrollTop = from.y - event.clientY;
    });
    const release = () => {
      from = null;
      stage.classList.remove('dragging');
    };
    stage.addEventListener('pointerup', release);
    stage.addEventListener('pointercancel', release);
  }

  function setUpZoom() {
    let dialog = null;  // made when first needed
    for (const image of document.querySelectorAll('.figure .picture > img')) {
      const picture = image.parentElement;
      const open = () => {
        dialog = dialog || new ZoomDialog();
        dialog.open(image, opener);
      };
      const what = image.alt || 'figure';
      const opener = button('Enlarge', { class: 'enlarge', 'aria-label': `Enlarge: ${what}` }, open);
      picture.after(opener);
      image.draggable = false;  // the mouse moves the enlarged picture instead
      image.addEventListener('click', () => {
        if (image.parentElement === picture) open();
      });
    }
  }

  // --- The explorer --------------------------------------------------------------------------

  function percentText(weight) {
    return `${(100 * weight).toFixed(1)} %`;
  }

  // Tokens can be any text: spaces at their ends and line ends become visible, and marks that turn
  // the direction of what follows are shown as what they are.
  function visible(token) {
    if (token === '') return '\u2205';
    return token
      .replace(/^ +| +$/g, (spaces) => '\u2423'.repeat(spaces.length))
      .replace(/\r?\n/g, '\u23ce').replace(/\t/g, '\u21e5')
      .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
  }

  // A word that is written from right to left must not turn the sentence around it.
  const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
  function isolated(token) {
    return rightToLeft.test(token) ? `\u2068${token}\u2069` : token;
  }

  // How many columns of a monospaced font a text takes.
  function columnsOf(text) {
    return Array.from(text).reduce((sum, letter) => sum + (letter >= '\u2e80' ? 2 : 1), 0);
  }

  function shortened(text, most) {
    const letters = Array.from(text);
    return letters.length > most ? letters.slice(0, most - 1).join('') + '\u2026' : text;
  }

  // Words need spaces between them; single characters do not.
  function separated(parts, tokens) {
    const words = tokens.some((token) => Array.from(token).length > 1);
    return words ? parts.flatMap((part, i) => (i ? [' ', part] : [part])) : parts;
  }

  const mostCells = 4096;  // of a table; beyond, the map is a picture
  const mostLettersOfChoice = 100;

  const tokenLists = [
    'inputs', 'decoder_inputs', 'targets', 'predictions', 'next', 'next_wanted',
  ];

  class Explorer {
    constructor(section, data) {
      this.data = data;
      for (const problem of data.problems) {
        for (const list of tokenLists) {
          problem[list] = problem[list]?.map((token) => (token === null ? null : visible(token)));
        }
      }
      this.chosen = { problem: 0, site: 0, head: 0 };
      this.cell = { query: 0, key: 0 };
      this.answer = element('p', { class: 'answer' });
      this.title = element('h4', {});
      this.map = element('table', { class: 'map', role: 'grid' });
      this.picture = element('div', { class: 'large-map', tabindex: '0', role: 'img' });
      this.description = element('p', { class: 'description', role: 'status' });
      this.heads = element('div', { class: 'all-heads' });
      this.makeChoices();
      this.listenToMap();
      this.listenToPicture();
      this.build(section);
      this.drawHeads();
      this.show();
    }

    get site() { return this.data.sites[this.chosen.site]; }
    get problem() { return this.data.problems[this.chosen.problem]; }
    get queries() { return this.problem[this.site.queries]; }
    get keys() { return this.problem[this.site.keys]; }

    weights(site, head) {
      return site.weights[this.chosen.problem][head];
    }

    weight(query, key) {
      const weights = this.weights(this.site, this.chosen.head);
      return weights[query * this.keys.length + key] / this.data.scale;
    }

    build(section) {
      section.querySelector('.needs-script')?.remove();
      const legend = element('div', { class: 'legend', 'aria-hidden': 'true' },
        '0 %', element('span', {}), '100 % of the attention');
      const large = element('div', {}, this.title,
        element('div', { class: 'scroll' }, this.map, this.picture), this.description, legend);
      const all = element('div', {}, element('h4', {}, 'All heads on this problem'), this.heads);
      section.prepend(
        element('div', { class: 'choices' },
          ...this.choices.map(({ name, select }) => element('label', {}, name, select))),
        this.answer, element('div', { class: 'views' }, large, all));
    }

    // --- What is chosen

    makeChoices() {
      const make = (name, onChange) => {
        const select = element('select', {});
        select.addEventListener('change', () => {
          onChange(select.value);
          this.show();
        });
        return { name, select };
      };
      const [problem, module, layer, head] = this.choices = [
        make('Problem', (value) => { this.chosen.problem = Number(value); this.drawHeads(); }),
        make('Module', (value) => this.goTo(value, this.site.layer)),
        make('Layer', (value) => this.goTo(this.site.module, Number(value))),
        make('Head', (value) => { this.chosen.head = Number(value); }),
      ];
      this.selects = {
        problem: problem.select, module: module.select, layer: layer.select, head: head.select,
      };
      fill(problem.select, this.data.problems.map(
        (one, i) => [i, shortened(visible(one.text), mostLettersOfChoice)]), 0);
    }

    // The site of that module and layer, or the module's first; the head of the same number, if
    // there is one.
    goTo(module, layer) {
      const number = this.site.heads[this.chosen.head];
      const sites = this.data.sites;
      const exact = sites.findIndex((site) => site.module === module && site.layer === layer);
      this.chosen.site = exact >= 0 ? exact : sites.findIndex((site) => site.module === module);
      this.chosen.head = Math.max(0, this.site.heads.indexOf(number));
    }

    // --- What is shown

    show() {
      this.showChoices();
      this.showAnswer();
      this.showMap();
      for (const { button: one, site, head } of this.headButtons) {
        const isChosen = site === this.chosen.site && head === this.chosen.head;
        one.setAttribute('aria-pressed', String(isChosen));
      }
    }

    showChoices() {
      const sites = this.data.sites;
      const modules = Array.from(new Set(sites.map((site) => site.module)));
      const layers = sites.filter((site) => site.module === this.site.module);
      fill(this.selects.module, modules.map((name) => [name, name]), this.site.module);
      fill(this.selects.layer, layers.map(({ layer }) => [layer, `L${layer}`]), this.site.layer);
      fill(this.selects.head, this.site.heads.map((number, i) => [i, `H${number}`]),
        this.chosen.head);
    }

    showAnswer() {
      this.answer.replaceChildren(...this.answerParts());
      this.answer.hidden = this.answer.childNodes.length === 0;
    }

    // What the model answers, and whether that is right, as far as the maps say so.
    answerParts() {
      const { targets, predictions, next, answer, wanted, confidence } = this.problem;
      if (targets) {
        const said = predictions.map((token, i) => tokenPart(token, token !== targets[i]));
        const isRight = targets.join('\n') === predictions.join('\n');
        return this.judged(separated(said, targets), isRight,
          separated(targets.map((token) => tokenPart(token)), targets));
      }
      if (answer !== undefined) {
        return this.judged([tokenPart(visible(answer))],
          wanted === undefined ? null : answer === wanted, [tokenPart(visible(wanted ?? ''))],
          confidence === undefined ? '' : ` (${percentText(confidence)})`);
      }
      return next ? this.continuationParts() : [];
    }

    // `isRight` is null if it is not known.
    judged(said, isRight, right, sure = '') {
      const parts = ['The model answers ',
        said.length ? element('span', { class: 'tokens' }, ...said) : 'nothing', sure];
      if (isRight === null) return [...parts, '.'];
      parts.push(', which is ',
        element('span', { class: isRight ? 'right' : 'wrong' }, isRight ? 'right' : 'wrong'));
      if (isRight) return [...parts, '.'];
      return [...parts, '; it is ',
        right.length ? element('span', { class: 'tokens' }, ...right) : 'nothing', '.'];
    }

    // The tokens, and the one that follows them; those that the model should predict are marked.
    continuationParts() {
      const { decoder_inputs: fed, next, next_wanted: wanted } = this.problem;
      const asked = next.filter((token) => token !== null).length;
      const right = next.filter((token, i) => token !== null && token === wanted[i]).length;
      const tokens = wanted.at(-1) === null ? fed : [...fed, wanted.at(-1)];
      const parts = tokens.map((token, i) => {
        const predicted = i > 0 ? next[i - 1] : null;
        if (predicted === null) return tokenPart(token);
        const part = tokenPart(token, predicted !== wanted[i - 1]);
        part.classList.add('asked');
        part.title = `predicted: ${predicted}`;
        return part;
      });
      return [`The model predicts ${right} of ${asked} tokens asked for: `,
        element('span', { class: 'tokens' }, ...separated(parts, tokens))];
    }

    showMap() {
      const name = `${this.site.label} H${this.site.heads[this.chosen.head]}`;
      const meaning = `Attention of ${name}: rows are queries, columns keys`;
      this.title.textContent = name;
      this.cell.query = Math.min(this.cell.query, this.queries.length - 1);
      this.cell.key = Math.min(this.cell.key, this.keys.length - 1);
      const isPicture = this.queries.length * this.keys.length > mostCells;
      this.map.hidden = isPicture;
      this.picture.hidden = !isPicture;
      this.map.replaceChildren();
      this.picture.replaceChildren();
      if (isPicture) this.drawPicture(meaning);
      else this.drawTable(meaning);
      this.describe(this.cell.query, this.cell.key);
    }

    drawTable(meaning) {
      this.map.setAttribute('aria-label', meaning);
      this.map.style.setProperty('--columns', this.keys.length);
      const head = element('tr', { role: 'row' },
        element('th', { class: 'axes' }, 'key \u2192', element('br'), 'query \u2193'),
        ...this.keys.map((key) => this.keyHeader(key)));
      const rows = this.queries.map((query, q) => element('tr', { role: 'row' },
        element('th', { scope: 'row', title: query }, query),
        ...this.keys.map((key, k) => this.mapCell(q, k))));
      this.map.replaceChildren(element('thead', {}, head), element('tbody', {}, ...rows));
    }

    // Too many cells for a table: a pixel for each, and a frame around the current one.
    drawPicture(meaning) {
      this.picture.setAttribute('aria-label', `${meaning}; arrow keys move`);
      this.picture.style.setProperty('--columns', this.keys.length);
      this.picture.style.setProperty('--rows', this.queries.length);
      this.picture.replaceChildren(this.canvas(this.site, this.chosen.head),
        element('span', { class: 'frame' }));
    }

    // Long names are turned, so that columns stay narrow.
    keyHeader(key) {
      const isLong = columnsOf(key) > (this.keys.length > 16 ? 2 : 3);
      return element('th', { scope: 'col', class: isLong ? 'turned' : null, title: key },
        element('span', {}, key));
    }

    mapCell(query, key) {
      const weight = this.weight(query, key);
      const isCurrent = query === this.cell.query && key === this.cell.key;
      const hasRoom = this.keys.length <= 16;
      const cell = element('td', {
        role: 'gridcell', tabindex: isCurrent ? '0' : '-1', class: weight > 0.5 ? 'strong' : null,
        'data-query': query, 'data-key': key, 'aria-label': this.sentence(query, key),
      }, hasRoom && weight >= 0.005 ? String(Math.round(100 * weight)) : '');
      cell.style.setProperty('--weight', weight);
      return cell;
    }

    sentence(query, key) {
      const weight = this.weight(query, key);
      return `${isolated(this.queries[query])} \u2192 ${isolated(this.keys[key])}: ` +
        `${weight.toFixed(3)} (${percentText(weight)})`;
    }

    // What the model predicts after a token of the decoder, if it is asked; else nothing.
    prediction(query) {
      const { next, next_wanted: wanted } = this.problem;
      if (this.site.queries !== 'decoder_inputs' || !next || next[query] === null) return '';
      return `; after this query the model predicts ${isolated(next[query])}, which is ` +
        (next[query] === wanted[query] ? 'right' : `wrong: it is ${isolated(wanted[query])}`);
    }

    // With positions, because tokens repeat.
    describe(query, key) {
      this.description.replaceChildren(this.sentence(query, key),
        element('small', {}, `query ${query + 1} of ${this.queries.length}, ` +
          `key ${key + 1} of ${this.keys.length}${this.prediction(query)}`));
      if (this.map.hidden) return this.frame(query, key);
      const columns = Array.from(this.map.tHead.rows[0].cells).slice(1);
      const rows = Array.from(this.map.tBodies[0].rows).map((row) => row.cells[0]);
      columns.forEach((header, i) => header.classList.toggle('lit', i === key));
      rows.forEach((header, i) => header.classList.toggle('lit', i === query));
    }

    frame(query, key) {
      const frame = this.picture.lastChild;
      frame.style.setProperty('--query', query);
      frame.style.setProperty('--key', key);
    }

    // --- Looking at cells

    listenToMap() {
      const describeCell = (event) => {
        const cell = event.target.closest('td');
        if (cell) this.describe(Number(cell.dataset.query), Number(cell.dataset.key));
      };
      this.map.addEventListener('pointerover', describeCell);
      this.map.addEventListener('focusin', describeCell);
      this.map.addEventListener('pointerleave', () => this.describe(this.cell.query, this.cell.key));
      this.map.addEventListener('click', (event) => {
        const cell = event.target.closest('td');
        if (cell) this.moveTo(Number(cell.dataset.query), Number(cell.dataset.key));
      });
      this.map.addEventListener('keydown', (event) => this.onKey(event));
    }

    onKey(event) {
      const { query, key } = this.cell;
      const targets = {
        ArrowLeft: [query, key - 1], ArrowRight: [query, key + 1],
        ArrowUp: [query - 1, key], ArrowDown: [query + 1, key],
        Home: [query, 0], End: [query, this.keys.length - 1],
      };
      if (!Object.hasOwn(targets, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.moveTo(...targets[event.key]);
    }

    listenToPicture() {
      const cellAt = (event) => {
        const box = this.picture.firstChild.getBoundingClientRect();
        const place = (at, size, count) =>
          Math.max(0, Math.min(count - 1, Math.floor(count * at / size)));
        return [place(event.clientY - box.top, box.height, this.queries.length),
          place(event.clientX - box.left, box.width, this.keys.length)];
      };
      this.picture.addEventListener('pointermove', (event) => this.describe(...cellAt(event)));
      this.picture.addEventListener('pointerleave',
        () => this.describe(this.cell.query, this.cell.key));
      this.picture.addEventListener('click', (event) => this.moveTo(...cellAt(event)));
      this.picture.addEventListener('keydown', (event) => this.onKey(event));
    }

    // Only one cell is in the order of the Tab key.
    moveTo(query, key) {
      if (this.map.hidden) return this.moveFrameTo(query, key);
      const cellAt = (q, k) => this.map.tBodies[0].rows[q]?.cells[k + 1];
      const next = key >= 0 && query >= 0 ? cellAt(query, key) : null;
      if (!next) return;
      cellAt(this.cell.query, this.cell.key).tabIndex = -1;
      this.cell = { query, key };
      next.tabIndex = 0;
      next.focus();
    }

    moveFrameTo(query, key) {
      if (query < 0 || query >= this.queries.length || key < 0 || key >= this.keys.length) return;
      this.cell = { query, key };
      this.describe(query, key);
    }

    // --- All heads

    drawHeads() {
      this.headButtons = [];
      this.heads.replaceChildren(...this.data.sites.map((site, i) => element('div', {},
        element('p', { class: 'site-name' }, site.label),
        element('div', { class: 'site-heads' },
          ...site.heads.map((number, head) => this.headButton(site, i, number, head))))));
    }

    headButton(site, index, number, head) {
      const made = button('', { class: 'head', 'aria-label': `${site.label} H${number}` }, () => {
        this.chosen.site = index;
        this.chosen.head = head;
        this.show();
      });
      made.append(this.smallMap(site, head), `H${number}`);
      this.headButtons.push({ button: made, site: index, head });
      return made;
    }

    smallMap(site, head) {
      const columns = this.problem[site.keys].length;
      const rows = this.problem[site.queries].length;
      const size = 96 / Math.max(columns, rows);
      const box = element('span', { 'aria-hidden': 'true' }, this.canvas(site, head));
      box.style.setProperty('--columns', columns);
      box.style.setProperty('--rows', rows);
      box.style.setProperty('--largest', `${size > 2 ? Math.min(10, Math.floor(size)) : size}px`);
      return box;
    }

    // The smaller the weight, the more white covers the background, which differs by theme.
    canvas(site, head) {
      const columns = this.problem[site.keys].length;
      const rows = this.problem[site.queries].length;
      const canvas = element('canvas', { width: columns, height: rows });
      const context = canvas.getContext('2d');
      const image = context.createImageData(columns, rows);
      this.weights(site, head).forEach((weight, i) => {
        image.data.set([255, 255, 255, Math.round(255 * (1 - weight / this.data.scale))], 4 * i);
      });
      context.putImageData(image, 0, 0);
      return canvas;
    }
  }

  function tokenPart(token, isWrong) {
    return element('bdi', { class: isWrong ? 'wrong' : null }, token);
  }

  function fill(select, options, chosen) {
    select.replaceChildren(...options.map(([value, text]) => element('option', { value }, text)));
    select.value = String(chosen);
  }

  function setUpExplorers() {
    for (const section of document.querySelectorAll('.explorer')) {
      const script = section.querySelector('script[type="application/json"]');
      if (script) new Explorer(section, JSON.parse(script.textContent));
    }
  }

  // --- Start ---------------------------------------------------------------------------------

  applyRememberedTheme();
  document.addEventListener('DOMContentLoaded', () => {
    setUpTheme();
    setUpContents();
    setUpLinksIntoFolds();
    setUpTables();
    setUpZoom();
    setUpExplorers();
  });
})();
