import ArgumentParser
import ProsperKit

/// The completion scripts: those of the argument parser, with what they lack.
enum CompletionScript {
  private static let option = "--generate-completion-script"

  /// Whether this program was called to print a completion script.
  static var isRequested: Bool { ProcessInput.arguments.dropFirst().first?.hasPrefix(option) ?? false }

  /// The script that the arguments ask for with `--generate-completion-script`; nil if they ask for none, or for that
  /// of an unknown shell.
  static func requested(by arguments: [String]) -> String? {
    guard let word = arguments.first, word == option || word.hasPrefix(option + "=") else { return nil }
    let name = word == option ? arguments.dropFirst().first : String(word.dropFirst(option.count + 1))
    let shell = name.map(CompletionShell.init(rawValue:)) ?? CompletionShell.autodetected()
    return shell.map(text)
  }

  static func text(for shell: CompletionShell) -> String {
    let script = Prosper.completionScript(for: shell)
    return switch shell.rawValue {
    case "bash": script + "\n" + bash
    // The last lines of the script call its functions.
    case "zsh":
      script.replacing("if [[ \"${funcstack[1]}\"", with: zsh + "\nif [[ \"${funcstack[1]}\"", maxReplacements: 1)
    // "commandline -C" fails in "complete -C", with which other programs ask fish for completions.
    case "fish": script.replacing("(__prosper_tokens -tC)", with: #"(string length -- "$(commandline -ct)")"#)
    default: script
    }
  }

  /// bash ends words at `:` and `=`, so that `pulse:speakers` would be three words. This function puts them together
  /// again, and takes what is already typed off the results. No space follows a value that ends with a colon.
  private static let bash = #"""
    _prosper_joined() {
        local -a words=() ; local -i i ; local previous='' word
        for ((i = 0; i <= COMP_CWORD; i++)); do
            word="${COMP_WORDS[i]}"
            if [[ "${word}" = '=' && "${previous}" = --* ]]; then
                # An option and its value are two words for the script above.
                ((i < COMP_CWORD)) || words+=('')
            elif [[ "${word}" = :* && "${previous}" != '' || "${previous}" = *: && "${#words[@]}" -gt 0 ]]; then
                words[${#words[@]} - 1]+="${word}"
            else
                words+=("${word}")
            fi
            previous="${words[${#words[@]} - 1]}"
        done
        local -r typed="${words[${#words[@]} - 1]}" before="${words[${#words[@]} - 2]}"
        local -a COMP_WORDS=("${words[@]}")
        local -i COMP_CWORD="$((${#words[@]} - 1))" COMP_POINT
        local COMP_LINE="${words[*]}"
        COMP_POINT="${#COMP_LINE}"
        _prosper "${1}" "${typed}" "${before}"
        local -r done="${typed%"${typed##*:}"}"
        for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]="${COMPREPLY[i]#"${done}"}" ; done
        # bash quotes the names of files that exist. Other values it would leave open to expansion, and colons would get
        # backslashes; they are quoted here. Within double quotes, no value that could run as a command is offered.
        local -i quotes=0
        for i in "${!COMPREPLY[@]}"; do
            word="${COMPREPLY[i]}"
            [[ ! -e "${word/#\~\//${HOME}/}" ]] || continue
            [[ "${word}" != *[^[:alnum:]_./=@%+,-]* ]] || quotes=1
            [[ "${typed}" != \"* || "${word}" != *[\$\`]* ]] || unset "COMPREPLY[${i}]"
        done
        if ((quotes)) && [[ "${typed}" != [\"\']* ]]; then
            compopt +o filenames
            for i in "${!COMPREPLY[@]}"; do printf -v "COMPREPLY[${i}]" %q "${COMPREPLY[i]}" ; done
        fi
        COMPREPLY=("${COMPREPLY[@]}")
        [[ "${#COMPREPLY[@]}" -ne 1 || "${COMPREPLY[0]}" != *[:/] ]] || compopt -o nospace
    }
    complete -o filenames -F _prosper_joined prosper
    """#

  /// No space follows a folder or a value that ends with a colon.
  private static let zsh = #"""
    __prosper_complete() {
        # Only the file completion of zsh keeps a tilde.
        if [[ "${PREFIX}" = '~'* ]]; then
            _files
            return
        fi
        local -a whole=() open=()
        local item
        for item; do
            if [[ "${item}" = */ || "${item}" = *'\:' || "${item}" = *'\:':* ]]; then
                open+=("${item}")
            else
                whole+=("${item}")
            fi
        done
        _describe -V '' whole -- open -S ''
    }
    """#
}
