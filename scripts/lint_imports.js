/* `npm run lint` checks the imports of the application by the rules of `import_rules.js`, types included. */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cruise } from 'dependency-cruiser'
import { IMPORT_RULES } from './import_rules.js'

const ENGINE = 'packages/atrium/src'
const FOLDERS = ['adonisrc.ts', 'app', 'bin', 'commands', 'config', 'database', 'start', 'tests']

const MOST_CIRCLES = 3

/**
 * Imports that break a rule, one line each.
 *
 * @param {string} root     folder of the application's package.json
 * @param {string[]} paths  files and folders in it
 * @returns {Promise<string[]>}
 */
export async function findForbiddenImports(root, paths) {
  const rules = { ruleSet: { forbidden: IMPORT_RULES }, validate: true }
  const doNotFollow = { path: ['node_modules', '^packages/atrium/tests/'] }
  const { summary } = await read(root, paths, { ...rules, doNotFollow })
  return described(summary.violations)
}

/** The files below some paths, each as `source` with its `dependencies`, whose file is `resolved` */
export async function readImports(root, paths) {
  const { modules } = await read(root, paths, { doNotFollow: { path: ['node_modules'] } })
  return modules
}

async function read(root, paths, options) {
  const { output } = await cruise(
    paths,
    { baseDir: root, tsPreCompilationDeps: true, ...options },
    /* The `imports` of package.json name files of the build. */
    {
      extensionAlias: { '.js': ['.ts', '.js'] },
      exportsFields: ['exports'],
      conditionNames: ['atrium-source', 'import', 'node', 'types', 'default'],
    }
  )
  return output
}

/** One circle makes hundreds, so the shortest ones stand for all, and the other rules come first. */
function described(violations) {
  const lines = (some) =>
    some.map(({ from, to, cycle, rule }) => {
      const way = [from, ...(cycle ? cycle.map(({ name }) => name) : [to])].join(' -> ')
      return `${rule.name}: ${way}\n  ${IMPORT_RULES.find(({ name }) => name === rule.name).comment}`
    })
  const circles = violations.filter(({ cycle }) => cycle)
  const shortest = circles
    .toSorted((a, b) => a.cycle.length - b.cycle.length)
    .slice(0, MOST_CIRCLES)
  const left = circles.length - shortest.length
  return [
    ...lines(violations.filter(({ cycle }) => !cycle)),
    ...lines(shortest),
    ...(left > 0 ? [`no-circle: and ${left} more, which may end with these`] : []),
  ]
}

/* Not `import.meta.main`: older versions of Node.js do not have it, and would check nothing. */
if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const forbidden = await findForbiddenImports(process.cwd(), [...FOLDERS, ENGINE])
  for (const line of forbidden) console.error(line)
  if (forbidden.length > 0) process.exit(1)
  console.log('No import breaks a rule of scripts/import_rules.js.')
}
