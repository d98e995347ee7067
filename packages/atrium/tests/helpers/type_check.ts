/*
 * `node type_check.ts CONFIG`: prints the type errors of the files of a tsconfig.json, and ends with status 1 if there are
 * any. Unlike tsc it does not check the files that these import, as `npm run typecheck` does that.
 */
import ts from 'typescript'

const host: ts.ParseConfigFileHost = {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (one) => print([one]),
}

function print(found: readonly ts.Diagnostic[]) {
  const format = {
    getCanonicalFileName: (name: string) => name,
    getCurrentDirectory: () => process.cwd(),
    getNewLine: () => '\n',
  }
  console.log(ts.formatDiagnostics(found, format))
  process.exit(1)
}

const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(
  process.argv[2],
  {},
  host
)!
const program = ts.createProgram(fileNames, options)
const found = [
  ...errors,
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...fileNames.flatMap((name) => {
    const file = program.getSourceFile(name)
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
  }),
]
if (found.length > 0) print(found)
