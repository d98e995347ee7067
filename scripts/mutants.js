/* Small changes of a TypeScript file, each of which should fail a test: `mutate.js` tries them. */
import ts from 'typescript'

const { SyntaxKind: Kind } = ts

/** Operators with those that replace them */
const OPERATORS = new Map([
  [Kind.AmpersandAmpersandToken, '||'],
  [Kind.BarBarToken, '&&'],
  [Kind.EqualsEqualsEqualsToken, '!=='],
  [Kind.ExclamationEqualsEqualsToken, '==='],
  [Kind.LessThanToken, '<='],
  [Kind.LessThanEqualsToken, '<'],
  [Kind.GreaterThanToken, '>='],
  [Kind.GreaterThanEqualsToken, '>'],
  [Kind.PlusToken, '-'],
  [Kind.MinusToken, '+'],
])

/** Methods with those that replace them */
const METHODS = { some: 'every', every: 'some', min: 'max', max: 'min' }

/** Calls whose result is true or false, by the beginning of their names */
const QUESTION =
  /^(is|has|can|may|must|allows|permits|reaches|restricts|matches|includes|sends)(?![a-z])/

/** Calls that decide nothing */
const LOG = /^[\w.]*\b(logger|log)\.\w+$/

/**
 * @param {string} text  of a TypeScript file
 * @returns {Array<{ line: number, before: string, after: string, text: string }>} with the text of the mutant
 */
export function mutantsOf(text) {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true)
  const mutants = new Map()
  const visit = (node) => {
    if (isIgnored(node)) return
    for (const [part, after] of changesOf(node)) {
      const [start, end] = [part.getStart(source), part.getEnd()]
      const mutant = text.slice(0, start) + after + text.slice(end)
      const { line } = source.getLineAndCharacterOfPosition(start)
      const before = text.slice(start, end)
      if (!mutants.has(mutant)) mutants.set(mutant, { line: line + 1, before, after, text: mutant })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...mutants.values()]
}

function isIgnored(node) {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    return true
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true
  if (ts.isDecorator(node)) return true
  return ts.isCallExpression(node) && LOG.test(node.expression.getText())
}

/** @returns pairs of a node and the text that replaces it */
function changesOf(node) {
  const negated = (one) => [one, `!(${one.getText()})`]
  if (ts.isIfStatement(node)) {
    return [negated(node.expression), ...(node.elseStatement ? [] : [[node, ';']])]
  }
  if (ts.isConditionalExpression(node)) return [negated(node.condition)]
  if (ts.isThrowStatement(node)) return [[node, ';']]
  if (ts.isExpressionStatement(node)) return isRemovable(node) ? [[node, ';']] : []
  if (ts.isBinaryExpression(node)) {
    const after = OPERATORS.get(node.operatorToken.kind)
    return after ? [[node.operatorToken, after]] : []
  }
  if (ts.isPrefixUnaryExpression(node)) {
    return isNegation(node) && !isCondition(node) ? [[node, node.operand.getText()]] : []
  }
  if (ts.isCallExpression(node)) return changesOfCall(node)
  if (node.kind === Kind.TrueKeyword) return [[node, 'false']]
  if (node.kind === Kind.FalseKeyword) return [[node, 'true']]
  if (ts.isNumericLiteral(node)) return [[node, String(Number(node.text.replaceAll('_', '')) + 1)]]
  return ts.isStringLiteral(node) && isRule(node) ? [[node, "'#'"]] : []
}

function isRemovable({ expression }) {
  const call = ts.isAwaitExpression(expression) ? expression.expression : expression
  return !(
    ts.isCallExpression(call) &&
    (call.expression.kind === Kind.SuperKeyword || LOG.test(call.expression.getText()))
  )
}

function changesOfCall(node) {
  const { expression } = node
  const isMethod = ts.isPropertyAccessExpression(expression)
  const name = isMethod ? expression.name.text : expression.getText()
  if (isMethod && name === 'filter') return [[node, expression.expression.getText()]]
  if (isMethod && Object.hasOwn(METHODS, name)) return [[expression.name, METHODS[name]]]
  if (!QUESTION.test(name)) return []
  const asked = ts.isAwaitExpression(node.parent) ? node.parent : node
  const isNegated = isCondition(asked) || isNegation(withParentheses(asked).parent)
  return isNegated ? [] : [[asked, `!(${asked.getText()})`]]
}

function isNegation(node) {
  return ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken
}

/** True for a condition, which is negated as a whole. */
function isCondition(node) {
  const { parent } = node
  return (
    (ts.isIfStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === withParentheses(node))
  )
}

function withParentheses(node) {
  return ts.isParenthesizedExpression(node.parent) ? withParentheses(node.parent) : node
}

/** True for a string that is compared or looked up; a message has spaces. */
function isRule(node) {
  const { parent } = node
  if (/\s/.test(node.text) || ts.isNewExpression(parent)) return false
  return !(ts.isPropertyAssignment(parent) && parent.name === node)
}
