/*
 * Imported first by the entry points: a Node.js that is too old says so in one line, instead of failing with the error
 * of whatever it lacks.
 */
const OLDEST_MAJOR = 24

if (Number.parseInt(process.versions.node, 10) < OLDEST_MAJOR) {
  console.error(
    `This is Node.js ${process.versions.node}: the application needs Node.js ${OLDEST_MAJOR} or newer.`
  )
  process.exit(1)
}
