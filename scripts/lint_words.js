/*
 * `npm run lint` checks the words of comments, messages, texts, docs, test titles and file names: each place has one
 * term, that of HTTP, Lucid and AdonisJS. Code in backticks, code blocks and names of texts are not checked, and neither
 * are the files of an application: app, commands, config, database, resources, start, tests.
 */
import { globSync, readFileSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Words that are not used, each with the terms that replace it */
export const WORDS = [
  {
    word: 'fault',
    pattern: /\bfault(?:s|y)?\b(?! injection)/i,
    use: 'error, invalid value, invalid row',
  },
  { word: 'answer', pattern: /\banswer(?:s|ed|ing)?\b/i, use: 'response, result, returns' },
  { word: 'is told', pattern: /\b(?:is|are|was|were|be|been) told\b/i, use: 'notified, shown' },
  { word: 'kept', pattern: /\bkept\b/i, use: 'stored, saved, preserved, unchanged' },
  {
    word: 'is asked',
    pattern: /\basked (?:for|about|of)\b|\b(?:is|are) asked\b/i,
    use: 'required, requested, checked, prompted',
  },
  {
    word: 'present (current)',
    pattern: /\bpresent (?:password|value|page|state|address|date|one|token|version|user)s?\b/i,
    use: 'current',
  },
  {
    word: 'foreign (of another site)',
    pattern: /\bforeign (?:site|session|page|link|form|file|host|origin|record|user|token)s?\b/i,
    use: 'cross-site, of another site',
  },
  { word: 'stranger', pattern: /\bstrangers?\b/i, use: 'unauthenticated client' },
  { word: 'good for', pattern: /\bgood (?:for|once|until)\b/i, use: 'valid for, single-use' },
  { word: 'at once', pattern: /\bat once\b/i, use: 'immediately, concurrently, in one request' },
  { word: 'beside', pattern: /\bbesides?\b/i, use: 'next to, in addition to' },
  {
    word: 'stands',
    pattern: /\b(?:stands?|standing) (?:in|at|on|there|before|behind|above|below|for a)\b/i,
    use: 'is, is shown, is stored',
  },
  {
    word: 'is no',
    pattern:
      /(?<!\bthere )\b(?:is|are|was|were) no (?!longer|more|such|need|way|limit|match|effect)[a-z]+/i,
    use: 'is not a',
  },
  {
    word: 'nobody, who may',
    pattern: /\b(?:nobody|somebody|who may|whom)\b/i,
    use: 'no user, the user, users who can',
  },
  { word: 'nor', pattern: /\bever so\b|\bnor\b|\bthereof\b|\bwhence\b/i, use: 'and not, or' },
  { word: 'comeback, doings', pattern: /\b(?:doings|worn|comeback)\b/i, use: 'activity, restore' },
  {
    word: 'taken',
    pattern: /\btaken (?:away|back|out|over)\b|\b(?:is|are) taken\b/i,
    use: 'accepted, removed, reverted, in use',
  },
  { word: 'meanwhile', pattern: /\bmeanwhile\b/i, use: 'in the meantime, since then' },
  {
    word: 'letters, signs',
    pattern: /\b(?:letters|signs) (?:in|of|at|that|long|which)\b/i,
    use: 'characters, logs in',
  },
]

/** Places that have such a word for a reason: the file, a part of the line, and the reason */
const ALLOWED = [
  [
    'packages/atrium/migrations/admin/1790000000041_create_admin_kept_forms_table.ts',
    'create admin kept forms table',
    'Databases store the names of migrations',
  ],
]

/** Maximum number of places in the sources of the engine; it is only ever lowered. */
const MOST_IN_SOURCES = 5

const SOURCES = 'packages/atrium/src/'
const FILES = [
  '*.md',
  'bin/**/*.{js,ts}',
  'docs/**/*.md',
  'packages/atrium/*.md',
  'packages/atrium/{assets,benchmarks,bin,lang,migrations,scripts,src,stubs,tests,views}/**/*.{edge,js,json,stub,ts}',
  'scripts/*.js',
]
const UNREAD =
  /node_modules|\.d\.ts$|\/data\/|\.min\.js$|^scripts\/lint_words\.js$|lint_words\.spec\.ts$/
/** Entries of earlier releases stay as they were published. */
const OLD_RELEASES = /^## \[0\.[0-2]\./

/**
 * Lines of a file that people read, without the code in them.
 *
 * @param {string} path  decides what is read: comments, titles and messages of code, all of a page
 * @param {string} text
 * @returns {Array<{ line: number, text: string }>}
 */
export function readableLines(path, text) {
  const lines = text.split('\n')
  const kind = path.slice(path.lastIndexOf('.') + 1)
  const end = path === 'CHANGELOG.md' ? lines.findIndex((line) => OLD_RELEASES.test(line)) : -1
  const isTest = /(^|\/)tests\//.test(path)
  const readers = { md: pageReader(), json: valueOf, edge: templateText }
  const reader = readers[kind] ?? ((line) => codeTexts(line, isTest))
  return lines
    .slice(0, end === -1 ? undefined : end)
    .flatMap((line, index) =>
      [reader(line)].flat().map((one) => ({ line: index + 1, text: one.replace(/`[^`]*`/g, '``') }))
    )
    .filter((one) => one.text.trim() !== '')
}

function pageReader() {
  let isCode = false
  return (line) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    return isCode ? [] : line
  }
}

/** Of `"name": "A text with {values, number}"` the words */
function valueOf(line) {
  const value = /^\s*"[^"]*": "(.*)",?$/.exec(line)?.[1] ?? ''
  return value.replace(/\{\w+/g, '{')
}

/** Of a template the comments and what is shown as it is */
function templateText(line) {
  return line.replace(/\{\{(?!--).*?\}\}|<[^>]*>|^\s*@.*/g, '')
}

/** Comments and titles; outside of tests also messages, which begin with a capital letter */
function codeTexts(line, isTest) {
  const comment =
    /^\s*(?:\/\*\*?|\*|\/\/)\s?(.*)$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1]
  const title = /\b(?:test|group)\(\s*(['"`])(.*?)\1/.exec(line)?.[2]
  const message = isTest ? undefined : /(['"`])([A-Z][^'"`]{12,}?)\1/.exec(line)?.[2]
  return [comment, title, message?.replace(/\$\{[^}]*\}/g, '')].filter(Boolean)
}

/**
 * Places with a word of `WORDS`.
 *
 * @param {string} path  relative to the project
 * @param {string} text  content of the file
 * @returns {Array<{ path: string, line: number, word: string, use: string, text: string }>} line 0 is the file's name
 */
export function findWords(path, text) {
  /* Unit tests have the names of the sources that they test. */
  const isNamed = !path.startsWith('packages/atrium/tests/unit/')
  const name = { line: 0, text: isNamed ? basename(path).replace(/[_.]/g, ' ') : '' }
  return [name, ...readableLines(path, text)].flatMap((one) =>
    WORDS.filter(({ pattern }) => pattern.test(one.text))
      .filter(() => !ALLOWED.some(([file, part]) => file === path && one.text.includes(part)))
      .map(({ word, use }) => ({ path, line: one.line, word, use, text: one.text.trim() }))
  )
}

/* Not `import.meta.main`: older versions of Node.js do not have it, and would check nothing. */
if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = process.cwd()
  const paths = globSync(FILES, { cwd: root, exclude: ['**/node_modules'] }).filter(
    (one) => !UNREAD.test(one)
  )
  const places = paths
    .sort()
    .flatMap((path) => findWords(path, readFileSync(join(root, path), 'utf8')))
  const [inSources, others] = [true, false].map((is) =>
    places.filter(({ path }) => path.startsWith(SOURCES) === is)
  )
  const shown =
    inSources.length > MOST_IN_SOURCES || process.argv.includes('--all') ? places : others
  for (const { path, line, word, use, text } of shown) {
    console.error(`${path}:${line}: "${word}": ${use}\n  ${text.slice(0, 150)}`)
  }
  if (others.length > 0 || inSources.length > MOST_IN_SOURCES) {
    console.error(
      `${inSources.length} places in ${SOURCES} (at most ${MOST_IN_SOURCES}), ${others.length} elsewhere (none)`
    )
    process.exit(1)
  }
  console.log(
    `${inSources.length} places in ${SOURCES} have words of scripts/lint_words.js, of ${MOST_IN_SOURCES}; none elsewhere.`
  )
}
