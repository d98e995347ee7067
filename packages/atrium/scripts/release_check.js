/*
 * `npm run release:check`: what has to be true before a release. It runs all tests (those of both applications of
 * tests/hosts install the packed engine) and the quick benchmark, checks the licences of what the engine brings, and
 * writes a bill of materials (CycloneDX) to tmp/sbom.json.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from '../../../scripts/npm.js'
import { root, run, runWithSuitableNode } from '../../../scripts/runtime.js'

/** Licences that an application under any licence can take */
const ACCEPTED =
  /^(MIT|MIT-0|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|CC-BY-4\.0|Python-2\.0|PSF-2\.0|WTFPL)$/

/** Packages whose package.json names none, with that of their file LICENSE */
const READ = { '@adonisjs/limiter': 'MIT', 'htmx.org': '0BSD' }

process.chdir(root)
checkChangelog()
await checkLicences()
await check('All tests', ['scripts/test.js', '--all'])
await check('The speed of the endpoints', [
  '--import=./scripts/loader.js',
  'packages/atrium/benchmarks/main.ts',
  '--quick',
])
console.log('The release can be published: npm publish -w adonis-atrium')

function checkChangelog() {
  const { version } = JSON.parse(readFileSync('packages/atrium/package.json', 'utf8'))
  if (!readFileSync('CHANGELOG.md', 'utf8').includes(`## [${version}] - `)) {
    fail(`CHANGELOG.md has no section of version ${version}`)
  }
}

async function checkLicences() {
  const { file, args, env } = npm()
  let text = ''
  const arguments_ = [
    ...args,
    'sbom',
    '--omit=dev',
    '--sbom-format=cyclonedx',
    '-w',
    'adonis-atrium',
  ]
  const onOutput = (chunk) => (text += chunk)
  if ((await run(file, arguments_, { env, cwd: root, onOutput })) !== 0) fail(text)
  const { components } = JSON.parse(text)
  mkdirSync('tmp', { recursive: true })
  writeFileSync(join('tmp', 'sbom.json'), text)
  const refused = components.filter((component) => !isAccepted(component))
  for (const one of refused)
    console.error(`${one.name} ${one.version}: ${licencesOf(one).join(', ') || 'no licence'}`)
  if (refused.length > 0) fail('Licences that are not in the list of this script')
  console.log(
    `${components.length} packages have accepted licences; the bill of materials is tmp/sbom.json`
  )
}

function licencesOf({ name, licenses = [] }) {
  if (licenses.length === 0 && READ[name]) return [READ[name]]
  return licenses.map(({ license, expression }) => expression ?? license.id ?? license.name)
}

function isAccepted(component) {
  const licences = licencesOf(component).flatMap((text) => text.replace(/[()]/g, '').split(' OR '))
  return licences.some((licence) => licence.split(' AND ').every((one) => ACCEPTED.test(one)))
}

async function check(what, args) {
  const status = await runWithSuitableNode(args, { env: { ...process.env, CI: 'true' } })
  if (status !== 0) fail(`${what} failed`)
}

function fail(reason) {
  console.error(reason)
  process.exit(1)
}
